import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface ProxyProcess {
  port: number;
  /** Resident bytes now, after a collection. */
  restingBytes(): Promise<number>;
  /** The most resident bytes since the last call. */
  peakBytes(): Promise<number>;
  close(): Promise<void>;
}

/** The proxies in a process of their own, so that its memory is theirs alone. */
export async function startProxyProcess(identityUrl: string): Promise<ProxyProcess> {
  const child = fork(fileURLToPath(import.meta.url), [identityUrl], {
    execArgv: ['--expose-gc'],
  });
  const ask = async (question: string): Promise<number> => {
    child.send(question);
    const [answer] = await once(child, 'message');
    return answer as number;
  };
  const [port] = await once(child, 'message');
  return {
    port: port as number,
    restingBytes: () => ask('rest'),
    peakBytes: () => ask('peak'),
    async close() {
      child.disconnect();
      await exited(child);
    },
  };
}

async function exited(child: ChildProcess): Promise<void> {
  if (child.exitCode === null) await once(child, 'exit');
}

async function main(identityUrl: string): Promise<void> {
  const { startProxyApp } = await import('./proxy-app.ts');
  const app = await startProxyApp({ identity: identityUrl });
  let peak = 0;
  const sampling = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 5);
  process.on('message', (question) => {
    globalThis.gc?.();
    process.send?.(question === 'rest' ? process.memoryUsage.rss() : peak);
    peak = 0;
  });
  process.once('disconnect', () => {
    clearInterval(sampling);
    void app.close();
  });
  process.send?.(app.port);
}

if (process.send !== undefined && process.argv[1] === fileURLToPath(import.meta.url)) await main(process.argv[2] ?? '');
