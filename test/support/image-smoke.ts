import assert from 'node:assert/strict';
import { read } from './repository-files.ts';

/** The service, started from the contents of its image: here, or in a container. */
export interface StartedImage {
  httpPort: number;
  metricsPort: number;
  /** Runs Node beside the service: its user, its folder, its environment. */
  node(...args: string[]): Promise<{ code: number | null; output: string }>;
  /** SIGTERM, and SIGKILL after the time that supervisors are to wait. @returns the exit code of the service */
  stop(): Promise<number | null>;
}

/** How long supervisors are to wait for an end. */
export const STOP_SECONDS = Number(/stop_grace_period: (\d+)s/.exec(read('deploy/compose.yaml'))?.[1] ?? assert.fail());

/** The program that the image is checked with, and its arguments. */
export const HEALTH_CHECK = JSON.parse(
  /^HEALTHCHECK .* CMD (\[.*\])$/m.exec(read('deploy/Dockerfile'))?.[1] ?? assert.fail(),
) as string[];

const PROBES = ['/api/health?probe=live', '/api/health?probe=ready'];

const STEPS: Record<string, (image: StartedImage) => Promise<void>> = {
  async 'serves the page to sign in on, and its script'({ httpPort }) {
    const page = await fetch(`http://127.0.0.1:${httpPort}/`, { headers: { accept: 'text/html' } });
    assert.equal(page.status, 200);
    const [, script = assert.fail('no script')] = /<script[^>]* src="([^"]+)"/.exec(await page.text()) ?? [];
    assert.equal((await fetch(new URL(script, page.url))).status, 200);
  },
  async 'answers the probes on both ports'({ httpPort, metricsPort }) {
    for (const port of [httpPort, metricsPort])
      for (const path of PROBES) assert.equal((await fetch(`http://127.0.0.1:${port}${path}`)).status, 200, path);
  },
  async 'passes the health check of the image'({ node }) {
    assert.deepEqual(await node(...HEALTH_CHECK.slice(1)), { code: 0, output: '' });
  },
  async 'runs as a user without rights, who cannot write beside it'({ node }) {
    const { output } = await node('-p', 'process.getuid()');
    assert.match(output, /^[1-9]\d*\n$/);
    const written = await node('-e', "fs.writeFileSync('dist/server/new', '')");
    assert.equal(written.code, 1);
    assert.match(written.output, /EACCES|EROFS/);
  },
  async 'ends at SIGTERM in time, with exit code 0'({ stop }) {
    assert.equal(await stop(), 0);
  },
};

/** The same steps for an image, however it is started; the last one ends it. */
export function smokeTest(start: () => Promise<StartedImage>): void {
  let image: StartedImage | undefined;
  before(async function () {
    // An image may have to be built first.
    this.timeout(900_000);
    image = await start();
  });
  for (const [title, step] of Object.entries(STEPS)) it(title, () => step(image ?? assert.fail()));
}
