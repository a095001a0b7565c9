// Runs the SQL of standard input on a database server, as its administrator.
import { text } from 'node:stream/consumers';
import { createConnection } from 'mysql2/promise';

const connection = await createConnection({ uri: process.argv[2] ?? '', multipleStatements: true });
await connection.query(await text(process.stdin));
await connection.end();
