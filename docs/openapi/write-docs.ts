// `npm run docs`: writes `docs/openapi.json` from the table of routes, and the commands in the pages of `docs/`.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { withCommands } from './commands.ts';
import { openApi } from './openapi.ts';

const at = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const read = (path: string): string => readFileSync(at(path), 'utf8');

const { version } = JSON.parse(read('package.json')) as { version: string };
writeFileSync(at('docs/openapi.json'), `${JSON.stringify(openApi(version), null, 2)}\n`);
for (const name of readdirSync(at('docs')).filter((file) => file.endsWith('.md')))
  writeFileSync(at(`docs/${name}`), withCommands(read(`docs/${name}`)));
