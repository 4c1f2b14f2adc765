SELECT length('ß'), 'ß' LIKE '_';
SELECT 'ß' GLOB '?', 'ß' GLOB '??', 'ß' GLOB '[ß]';
