// `npm run openapi`: writes `docs/openapi.json` from the table of routes.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { openApi } from './openapi.ts';

const at = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

const { version } = JSON.parse(readFileSync(at('package.json'), 'utf8')) as { version: string };
writeFileSync(at('docs/openapi.json'), `${JSON.stringify(openApi(version), null, 2)}\n`);
