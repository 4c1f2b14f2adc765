-- Customers and orders: inner and outer joins over a key, some without a partner.
CREATE TABLE customer(id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT COLLATE NOCASE);
CREATE TABLE purchase(id INTEGER PRIMARY KEY, customer INT, total INT, note TEXT);
INSERT INTO customer VALUES (1, 'Ada', 'Paris'), (2, 'Bo', 'paris'), (3, 'Cy', NULL), (4, 'Di', 'Rome');
INSERT INTO purchase VALUES (10, 1, 5, 'gift'), (11, 1, 7, NULL), (12, 2, 5, ''), (13, 9, 1, 'lost'), (14, 4, 20, 'gift');
CREATE INDEX purchase_customer ON purchase(customer);

SELECT c.name, p.total FROM customer c JOIN purchase p ON p.customer = c.id;
SELECT c.name, p.total FROM customer c LEFT JOIN purchase p ON p.customer = c.id;
SELECT c.name, p.id FROM customer c LEFT JOIN purchase p ON p.customer = c.id AND p.total > 5 WHERE c.city IS NOT NULL;
SELECT c.name FROM customer c LEFT JOIN purchase p ON p.customer = c.id WHERE p.id IS NULL;
SELECT c.name, sum(p.total), count(p.id) FROM customer c LEFT JOIN purchase p ON p.customer = c.id GROUP BY c.id, c.name;
SELECT city, count(*) FROM customer WHERE city = 'PARIS' GROUP BY city;
SELECT p.note, max(p.total) FROM purchase p GROUP BY p.note HAVING count(*) > 1;
