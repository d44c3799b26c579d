//! Messages whose every byte is known, so that a wrong one is found and located.

use std::io;

/// Fill `message` with the pattern of message number `sequence`.
pub fn fill(message: &mut [u8], sequence: u64) {
    for (offset, byte) in message.iter_mut().enumerate() {
        *byte = expected(sequence, offset);
    }
}

/// Compare a received message with its pattern; the error names the first wrong byte.
pub fn check(message: &[u8], sequence: u64) -> io::Result<()> {
    let wrong = message
        .iter()
        .enumerate()
        .find(|(offset, byte)| **byte != expected(sequence, *offset));
    match wrong {
        None => Ok(()),
        Some((offset, found)) => Err(io::Error::new(
            io::ErrorKind::InvalidData,
            format!(
                "message {sequence} of {} bytes is damaged: byte {offset} is {found:#04x}, should be {:#04x}",
                message.len(),
                expected(sequence, offset)
            ),
        )),
    }
}

/// Differs between neighbouring offsets and between messages, and has no short period (65521 is prime).
fn expected(sequence: u64, offset: usize) -> u8 {
    let position = sequence.wrapping_mul(31).wrapping_add(offset as u64) % 65521;
    (position ^ (position >> 8)) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_wrong_byte_is_located() {
        let mut message = vec![0; 5000];
        fill(&mut message, 7);
        check(&message, 7).unwrap();
        message[4321] ^= 1;
        let error = check(&message, 7).unwrap_err().to_string();
        assert!(
            error.contains("message 7") && error.contains("byte 4321"),
            "{error}"
        );
    }

    #[test]
    fn a_message_of_another_number_is_noticed() {
        let mut message = vec![0; 1];
        fill(&mut message, 1);
        assert!(check(&message, 2).is_err());
    }
}
