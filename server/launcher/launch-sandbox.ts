import { existsSync } from 'node:fs';
import type { Deployment } from '../../shared/deployment.ts';
import type { Sandbox } from '../sandbox/start-sandbox.ts';
import { lockTable } from './lock-table.ts';
import type { StartOptions } from './options.ts';

export interface Launch extends Pick<StartOptions, 'reset' | 'people' | 'sandboxPorts' | 'redactMessages'> {
  deployment: Deployment;
  dataDirectory: string;
  dashboardUrl: string;
  /** The dashboard's database, in which the sandbox's sign-in page locks accounts. */
  databaseUrl: string;
  /** If set, the sandbox's admin ports require it, as real ones would. */
  adminKey: string | undefined;
}

/**
 * Starts the sandbox, a new one with `reset`. Imported dynamically, so that a start with AUTH_URL never loads its code.
 */
export async function launchSandbox(launch: Launch, say: (line: string) => void): Promise<Sandbox> {
  const { deployment, dataDirectory, dashboardUrl, databaseUrl, adminKey, people, sandboxPorts, redactMessages } =
    launch;
  const { resetSandbox, sandboxFile, startSandbox } = await import('../sandbox/start-sandbox.ts');
  if (launch.reset) {
    resetSandbox(dataDirectory, deployment);
    say('Starting a new sandbox; the dashboard’s settings and audit trail are kept.');
  } else if (people !== undefined && existsSync(sandboxFile(dataDirectory, deployment))) {
    say('The sandbox already has its identities: --people takes effect only with --reset.');
  }
  const apiKeys = { identityAdmin: adminKey, oauthAdmin: adminKey };
  const locks = lockTable(databaseUrl);
  try {
    const sandbox = await startSandbox({
      deployment,
      dataDirectory,
      dashboardUrl,
      people,
      apiKeys,
      ports: sandboxPorts,
      redactMessages,
      production: false,
      locks,
    });
    return { ...sandbox, close: () => sandbox.close().finally(locks.close) };
  } catch (error) {
    await locks.close();
    throw error;
  }
}
