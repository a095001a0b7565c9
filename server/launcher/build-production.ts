// `npm run build`: builds everything `node dist/server/main.js` needs.
import { buildClient, buildServer } from './build.ts';
import { writeNotices } from './notices.ts';

await buildClient();
await buildServer();
writeNotices();
