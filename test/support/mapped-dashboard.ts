import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type DashboardOptions, startDashboard } from './dashboard.ts';
import { startFaultingUpstream } from './faulting-upstream.ts';
import { mmdb } from './mmdb.ts';
import { newFolder } from './of-suite.ts';

/** Networks in Oslo, in Bergen, elsewhere in Norway, and in Sweden over IPv6. */
const NETWORKS = {
  '203.0.113.0/24': {
    country: { iso_code: 'NO' },
    city: { names: { en: 'Oslo' } },
    location: { latitude: 59.91, longitude: 10.75 },
  },
  '198.51.100.0/25': {
    country: { iso_code: 'NO' },
    city: { names: { en: 'Bergen' } },
    location: { latitude: 60.39, longitude: 5.32 },
  },
  '192.0.2.0/24': { country: { iso_code: 'NO' } },
  '2001:db8::/32': { country: { iso_code: 'SE' } },
};

export type MappedDashboard = Awaited<ReturnType<typeof startMappedDashboard>>;

/** Starts a dashboard that finds locations in a small database, and whose admin APIs can be made to fail. */
export async function startMappedDashboard(
  env: NodeJS.ProcessEnv = {},
  options: Pick<DashboardOptions, 'now' | 'monotonic' | 'watchPace'> = {},
) {
  const folder = newFolder();
  const file = join(folder.path, 'places.mmdb');
  await writeFile(file, mmdb({ ipVersion: 6, networks: NETWORKS }));
  const [identityAdmin, oauthAdmin] = [await startFaultingUpstream(), await startFaultingUpstream()];
  const dashboard = await startDashboard({
    ...options,
    storeFromSandbox: true,
    env: { GEOIP_DATABASE: file, IDENTITY_ADMIN_URL: identityAdmin.url, OAUTH_ADMIN_URL: oauthAdmin.url, ...env },
  });
  identityAdmin.target = dashboard.sandbox.environment.IDENTITY_ADMIN_URL ?? '';
  oauthAdmin.target = dashboard.sandbox.environment.OAUTH_ADMIN_URL ?? '';
  const sessions = { admin: await dashboard.signIn('admin'), viewer: await dashboard.signIn('viewer') };
  return {
    dashboard,
    identityAdmin,
    oauthAdmin,
    sessions,
    /** Restarts the service with empty caches, and without faults. */
    async restart(changed?: NodeJS.ProcessEnv): Promise<void> {
      identityAdmin.reset();
      oauthAdmin.reset();
      await dashboard.restart(changed);
    },
    async close(): Promise<void> {
      await dashboard.close();
      await identityAdmin.close();
      await oauthAdmin.close();
      folder.close();
    },
  };
}
