// `npm run build`: what `node dist/server/main.js` needs.
import { buildClient, buildServer } from './build.ts';

await buildClient();
await buildServer();
