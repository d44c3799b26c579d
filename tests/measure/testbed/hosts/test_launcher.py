"""Launchers: the commands they make, and what their messages mean."""

import shlex
import subprocess

import pytest

from support.made.cases import cases
from weft.measure.testbed.hosts.launcher import Mpirun, Ssh, Template
from weft.measure.testbed.hosts.slurm import Allocation, Srun, allocation_command


def test_the_user_s_ssh_options_come_first_and_the_command_is_one_word() -> None:
    command = Ssh(("-p", "2222")).command("admin@n1", ["sh", "-c", "echo a b"])
    assert command[:3] == ["ssh", "-p", "2222"]
    assert "BatchMode=yes" in command
    assert command[-3:] == ["--", "admin@n1", "sh -c 'echo a b'"]


@pytest.mark.parametrize("shell", ["sh", "bash"])
def test_a_login_shell_reads_the_command_as_it_was_meant(shell: str) -> None:
    odd = ["printf", "%s|", "a b", "$HOME", "'", '"', "\\", "*", ""]
    sent = Ssh().command("n1", odd)[-1]
    done = subprocess.run([shell, "-c", sent], capture_output=True, text=True, check=True)
    assert done.stdout == "".join(f"{word}|" for word in odd[2:])


def test_a_template_is_followed_by_the_command_or_has_it_inside() -> None:
    behind = Template.parse("docker exec -i {node}", "here")
    assert behind.command("web1", ["a", "b c"]) == ["docker", "exec", "-i", "web1", "a", "b c"]
    inside = Template.parse("su {node} -c '{command}'", "here")
    assert inside.command("eve", ["a", "b c"]) == ["su", "eve", "-c", "a 'b c'"]


def test_a_command_that_speaks_of_nodes_itself_is_left_alone() -> None:
    template = Template.parse("env X={node}", "here")
    assert template.command("n1", ["echo", "{node}"]) == ["env", "X=n1", "echo", "{node}"]


@pytest.mark.parametrize(("said", "code"), cases("launchers", "ssh_says"))
def test_what_ssh_says_has_a_name(said: str, code: str) -> None:
    for launcher in (Ssh(), Mpirun(), Template.parse("ssh -J gate {node}", "here")):
        reason = launcher.explain(said)
        assert reason is not None and reason.code == f"agent-{code}"
    assert Template.parse("docker exec {node}", "here").explain(said) is None


@pytest.mark.parametrize(("said", "code"), cases("launchers", "slurm_says"))
def test_what_slurm_says_has_a_name(said: str, code: str) -> None:
    reason = Srun("7").explain(said)
    assert reason is not None and reason.code == f"agent-{code}"


def test_words_that_mean_nothing_to_a_launcher_are_passed_on() -> None:
    assert Ssh().explain("Segmentation fault") is None
    assert Srun("7").explain("task 0: Exited with exit code 1") is None


def test_an_allocation_is_taken_from_where_slurm_says_it() -> None:
    inside = Allocation.inherited({"SLURM_JOB_ID": "7", "SLURM_JOB_NODELIST": "n[01-03],x"})
    assert inside is not None
    assert (inside.job, inside.nodes) == ("7", ["n01", "n02", "n03", "x"])
    assert Allocation.inherited({}) is None


def test_options_behind_the_colon_are_salloc_s() -> None:
    command = allocation_command("--partition=a --comment='b c'", 2)
    assert command[:4] == ["salloc", "--nodes=2", "--partition=a", "--comment=b c"]
    assert shlex.join(command[4:]).startswith("sh -c")
