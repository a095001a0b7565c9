import assert from 'node:assert/strict';
import { readText } from './repository-files.ts';

/** The service, started from the contents of its image, on this machine or in a container. */
export interface StartedImage {
  httpPort: number;
  metricsPort: number;
  /** Runs Node as the user of the service, in its folder and environment. */
  node(...args: string[]): Promise<{ code: number | null; output: string }>;
  /** Sends SIGTERM, and SIGKILL after STOP_SECONDS. @returns the exit code of the service */
  stop(): Promise<number | null>;
}

/** How long a supervisor waits between SIGTERM and SIGKILL. */
export const STOP_SECONDS = Number(
  /stop_grace_period: (\d+)s/.exec(readText('deploy/compose.yaml'))?.[1] ?? assert.fail(),
);

/** The command of the image's health check. */
export const HEALTH_CHECK = JSON.parse(
  /^HEALTHCHECK .* CMD (\[.*\])$/m.exec(readText('deploy/Dockerfile'))?.[1] ?? assert.fail(),
) as string[];

const PROBES = ['/api/health?probe=live', '/api/health?probe=ready'];

const STEPS: Record<string, (image: StartedImage) => Promise<void>> = {
  async 'serves the sign-in page and its script'({ httpPort }) {
    const page = await fetch(`http://127.0.0.1:${httpPort}/`, { headers: { accept: 'text/html' } });
    assert.equal(page.status, 200);
    const [, script = assert.fail('no script')] = /<script[^>]* src="([^"]+)"/.exec(await page.text()) ?? [];
    assert.equal((await fetch(new URL(script, page.url))).status, 200);
  },
  async 'responds to the liveness and readiness probes on both ports'({ httpPort, metricsPort }) {
    for (const port of [httpPort, metricsPort])
      for (const path of PROBES) assert.equal((await fetch(`http://127.0.0.1:${port}${path}`)).status, 200, path);
  },
  async 'passes its own health check'({ node }) {
    assert.deepEqual(await node(...HEALTH_CHECK.slice(1)), { code: 0, output: '' });
  },
  async 'runs as an unprivileged user, who cannot write to its files'({ node }) {
    const { output } = await node('-p', 'process.getuid()');
    assert.match(output, /^[1-9]\d*\n$/);
    const written = await node('-e', "fs.writeFileSync('dist/server/new', '')");
    assert.equal(written.code, 1);
    assert.match(written.output, /EACCES|EROFS/);
  },
  async 'exits with code 0 within stop_grace_period after SIGTERM'({ stop }) {
    assert.equal(await stop(), 0);
  },
};

/** The same tests for both ways to start an image, in this order: the last one stops it. */
export function smokeTest(start: () => Promise<StartedImage>): void {
  let image: StartedImage | undefined;
  before(async function () {
    // An image may have to be built first.
    this.timeout(900_000);
    image = await start();
  });
  for (const [title, step] of Object.entries(STEPS)) it(title, () => step(image ?? assert.fail()));
}
