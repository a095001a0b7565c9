import { existsSync } from 'node:fs';
import type { Deployment } from '../../shared/deployment.ts';
import type { Sandbox } from '../sandbox/start-sandbox.ts';
import type { StartOptions } from './options.ts';

export interface Launch extends Pick<StartOptions, 'reset' | 'people' | 'sandboxPorts'> {
  deployment: Deployment;
  dataDirectory: string;
  dashboardUrl: string;
  /** Then the sandbox's admin ports require it, as those of a real installation would. */
  adminKey: string | undefined;
}

/** Starts the sandbox, a new one with `reset`. Loaded only here, so that a start with AUTH_URL never reads its code. */
export async function launchSandbox(launch: Launch, say: (line: string) => void): Promise<Sandbox> {
  const { deployment, dataDirectory, dashboardUrl, adminKey, people, sandboxPorts } = launch;
  const { resetSandbox, sandboxFile, startSandbox } = await import('../sandbox/start-sandbox.ts');
  if (launch.reset) {
    resetSandbox(dataDirectory, deployment);
    say('The sandbox starts anew; settings and audit trail of the dashboard are kept.');
  } else if (people !== undefined && existsSync(sandboxFile(dataDirectory, deployment))) {
    say('The sandbox has its people already: --people takes effect together with --reset.');
  }
  const apiKeys = { identityAdmin: adminKey, oauthAdmin: adminKey };
  return startSandbox({
    deployment,
    dataDirectory,
    dashboardUrl,
    people,
    apiKeys,
    ports: sandboxPorts,
    production: false,
  });
}
