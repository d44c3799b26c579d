//! What a domain tells a neighbour after a step.

/// How many cars, and how many links with freed room.
const HEAD_BYTES: u64 = 8;
/// A link, and a car.
const CAR_BYTES: u64 = 8;
const LINK_BYTES: u64 = 4;

/// The length of a message of so many cars and links.
pub fn bytes_of(cars: u64, freed: u64, car_bytes: u64) -> u64 {
    HEAD_BYTES + car_bytes.max(CAR_BYTES) * cars + LINK_BYTES * freed
}

/// What crosses the border to one neighbour in a step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Border {
    /// The domain on the other side.
    pub with: u32,
    /// Cars that enter a link that ends there: link and car, those of a link in their order.
    pub cars: Vec<(u32, u32)>,
    /// Links that begin there, once for each car that has left their queues.
    pub freed: Vec<u32>,
}

impl Border {
    pub fn new(with: u32) -> Self {
        Self {
            with,
            ..Self::default()
        }
    }

    pub fn clear(&mut self) {
        self.cars.clear();
        self.freed.clear();
    }

    /// The length of its message, where a car takes so many bytes.
    pub fn bytes(&self, car_bytes: u64) -> u64 {
        bytes_of(self.cars.len() as u64, self.freed.len() as u64, car_bytes)
    }

    /// Its message; what a car takes beyond its numbers is zero.
    pub fn encode(&self, car_bytes: u64, into: &mut Vec<u8>) {
        into.clear();
        let mut put = |number: u32| into.extend(number.to_le_bytes());
        put(self.cars.len() as u32);
        put(self.freed.len() as u32);
        self.freed.iter().for_each(|link| put(*link));
        for (link, car) in &self.cars {
            put(*link);
            put(*car);
        }
        into.resize(self.bytes(car_bytes) as usize, 0);
    }

    /// What a message of `encode` says; the error says why it is none.
    pub fn decode(with: u32, car_bytes: u64, message: &[u8]) -> Result<Self, String> {
        let number = |at: usize| {
            let bytes = message.get(4 * at..4 * at + 4)?;
            Some(u32::from_le_bytes(bytes.try_into().ok()?))
        };
        let garbled = || format!("domain {with} sends {} garbled bytes", message.len());
        let read = || {
            let (cars, freed) = (number(0)? as usize, number(1)? as usize);
            let cars_at = 2 + freed;
            let car = |at: usize| Some((number(cars_at + 2 * at)?, number(cars_at + 2 * at + 1)?));
            Some(Self {
                with,
                freed: (0..freed).map(|at| number(2 + at)).collect::<Option<_>>()?,
                cars: (0..cars).map(car).collect::<Option<_>>()?,
            })
        };
        let border = read().ok_or_else(garbled)?;
        match border.bytes(car_bytes) == message.len() as u64 {
            true => Ok(border),
            false => Err(garbled()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_says_what_the_border_does() {
        let border = Border {
            with: 3,
            cars: vec![(7, 100), (9, 4)],
            freed: vec![1, 1, 2],
        };
        let mut message = Vec::new();
        for car_bytes in [8, 128] {
            border.encode(car_bytes, &mut message);
            assert_eq!(message.len() as u64, border.bytes(car_bytes));
            assert_eq!(Border::decode(3, car_bytes, &message), Ok(border.clone()));
        }
        message.pop();
        assert_eq!(
            Border::decode(3, 128, &message).unwrap_err(),
            "domain 3 sends 275 garbled bytes"
        );
        Border::decode(3, 8, &[255; 8]).unwrap_err();
    }
}
