import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { notices, printedNotices } from '../../server/launcher/notices.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

describe('a release', () => {
  const { version } = JSON.parse(read('package.json')) as { version: string };

  it('has one version, in the package, its lock, the changelog, the API’s description and what is built', () => {
    const lock = JSON.parse(read('package-lock.json')) as {
      version: string;
      packages: Record<string, { version: string }>;
    };
    assert.deepEqual([lock.version, lock.packages['']?.version], [version, version]);
    const [, latest, date] = /^## (\d+\.\d+\.\d+) \((\d{4}-\d\d-\d\d)\)$/m.exec(read('CHANGELOG.md')) ?? [];
    assert.equal(latest, version);
    assert.ok(date);
    assert.equal(JSON.parse(read('docs/openapi.json')).info.version, version);
    assert.equal(JSON.parse(read('dist/settings-reader/package.json')).version, version);
    // The image's label and the chart.
    assert.match(read('deploy/Dockerfile'), new RegExp(`^ARG VERSION=${version.replaceAll('.', '\\.')}$`, 'm'));
    assert.match(read('deploy/chart/Chart.yaml'), new RegExp(`^version: ${version}\nappVersion: ${version}$`, 'm'));
  });

  describe('names the packages in it', () => {
    const all = notices();

    it('with their licences, and credits the data', () => {
      assert.ok(all.every(({ license, text }) => license !== '' && text !== ''));
      const withText = all.filter(({ text }) => text.length > 200);
      assert.ok(withText.length > all.length * 0.95, `${withText.length} of ${all.length}`);
      const text = printedNotices(all);
      for (const credit of ['IP Geolocation by DB-IP (https://db-ip.com)', 'Natural Earth', 'react '])
        assert.ok(text.includes(credit), credit);
      assert.ok(!text.includes(root));
    });

    it('without leaving one out that the service was bundled of', () => {
      const map = join(root, 'dist/server/node_modules.js.map');
      assert.ok(existsSync(map), 'dist is missing: npm run build');
      const { sources } = JSON.parse(readFileSync(map, 'utf8')) as { sources: string[] };
      const bundled = new Set(
        sources.flatMap((source) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(source)?.[1] ?? []),
      );
      assert.ok(bundled.size > 50);
      const named = new Set(all.map(({ name }) => name));
      assert.deepEqual(
        [...bundled].filter((name) => !named.has(name)),
        [],
      );
      assert.equal(read('dist/THIRD-PARTY-NOTICES.txt'), printedNotices(all));
    });
  });
});
