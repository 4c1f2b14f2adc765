//! How deep the tree of a text can become, read from its words before anything recursive looks at it: parsers, walkers,
//! printers and even the end of a tree's life go as deep as the tree, and the stack is finite.
//!
//! Two things make trees deep: brackets in brackets, and chains (`a AND b AND c`), where each operator is a level more.

/// What a word means for the depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    Open,
    Close,
    /// Separates what stands side by side.
    Between,
    /// Joins what may contain separators (UNION): each is a level more.
    Chain,
    Word,
}

/// The bound for the words seen so far.
pub struct Depth {
    most_brackets: usize,
    most_words: usize,
    /// Words since the last separator, and chains, in each open bracket and outside of all.
    levels: Vec<(usize, usize)>,
    words: usize,
}

/// A chain needs at least so many words for each level.
const WORDS_PER_CHAIN: usize = 4;

impl Depth {
    pub fn new(most_brackets: usize, most_words: usize) -> Depth {
        Depth { most_brackets, most_words, levels: vec![(0, 0)], words: 0 }
    }

    /// Takes the next word. False when the tree may become too deep.
    pub fn see(&mut self, mark: Mark) -> bool {
        match mark {
            Mark::Open => self.levels.push((0, 0)),
            Mark::Close => {
                let (words, chains) =
                    if self.levels.len() > 1 { self.levels.pop().unwrap_or_default() } else { (0, 0) };
                self.words -= words + chains * WORDS_PER_CHAIN;
            }
            Mark::Between | Mark::Chain | Mark::Word => self.add(mark),
        }
        self.levels.len() <= self.most_brackets + 1 && self.words <= self.most_words
    }

    fn add(&mut self, mark: Mark) {
        let Some((words, chains)) = self.levels.last_mut() else { return };
        match mark {
            Mark::Word => {
                *words += 1;
                self.words += 1;
            }
            _ => {
                self.words -= *words;
                *words = 0;
            }
        }
        if mark == Mark::Chain {
            *chains += 1;
            self.words += WORDS_PER_CHAIN;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fits(text: &str) -> bool {
        let mut depth = Depth::new(3, 20);
        text.split_whitespace().all(|word| {
            depth.see(match word {
                "(" => Mark::Open,
                ")" => Mark::Close,
                "," => Mark::Between,
                "UNION" => Mark::Chain,
                _ => Mark::Word,
            })
        })
    }

    #[test]
    fn what_stands_side_by_side_is_not_deep_and_chains_and_brackets_are() {
        assert!(fits(&"( a , - 1 ) , ".repeat(1000)));
        assert!(fits(&"a b c , ".repeat(1000)) && !fits(&"a AND ".repeat(11)));
        assert!(fits("( ( ( a ) ) )") && !fits("( ( ( ( a ) ) ) )"));
        assert!(!fits(&"SELECT a , b UNION ".repeat(6)));
        assert!(fits(") ) ) a"));
    }
}
