"""Files and folders of users, read and written with care."""
