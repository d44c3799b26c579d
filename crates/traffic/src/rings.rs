//! Queues of bounded length, one behind the other in the same memory.

/// First in, first out; each has room for so many.
#[derive(Clone, Debug)]
pub struct Rings<T> {
    slots: Vec<T>,
    /// By queue, and one more: where its slots begin.
    first: Vec<u32>,
    head: Vec<u32>,
    length: Vec<u32>,
}

impl<T: Copy + Default> Rings<T> {
    /// Empty queues of these lengths.
    pub fn new(rooms: impl Iterator<Item = u32>) -> Self {
        let mut first = vec![0];
        let mut end = 0;
        for room in rooms {
            end += room;
            first.push(end);
        }
        let queues = first.len() - 1;
        Self {
            slots: vec![T::default(); end as usize],
            first,
            head: vec![0; queues],
            length: vec![0; queues],
        }
    }

    pub fn len(&self, queue: usize) -> u32 {
        self.length[queue]
    }

    pub fn is_full(&self, queue: usize) -> bool {
        self.length[queue] == self.room(queue)
    }

    pub fn front(&self, queue: usize) -> Option<T> {
        let at = self.first[queue] + self.head[queue];
        (self.length[queue] > 0).then(|| self.slots[at as usize])
    }

    /// Takes the first of a queue that is not empty.
    pub fn pop(&mut self, queue: usize) {
        let room = self.room(queue);
        self.length[queue] -= 1;
        let head = self.head[queue] + 1;
        self.head[queue] = if head == room { 0 } else { head };
    }

    /// Adds to a queue that is not full.
    pub fn push(&mut self, queue: usize, one: T) {
        let room = self.room(queue);
        assert!(self.length[queue] < room, "queue {queue} is full");
        let at = self.head[queue] + self.length[queue];
        let at = if at >= room { at - room } else { at };
        self.slots[(self.first[queue] + at) as usize] = one;
        self.length[queue] += 1;
    }

    /// Those of a queue in their order.
    pub fn of(&self, queue: usize) -> impl Iterator<Item = T> {
        let (first, room, head) = (self.first[queue], self.room(queue), self.head[queue]);
        (0..self.length[queue]).map(move |at| self.slots[(first + (head + at) % room) as usize])
    }

    fn room(&self, queue: usize) -> u32 {
        self.first[queue + 1] - self.first[queue]
    }
}
