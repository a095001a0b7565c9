import type { Role } from '../../shared/session.ts';
import { needsChromium, type Visit, type VisitOptions } from './browser.ts';
import { signedInVisit } from './browser-sign-in.ts';
import { type Dashboard, startDashboard } from './dashboard.ts';
import { type FaultingUpstream, startFaultingUpstream } from './faulting-upstream.ts';

/** A dashboard whose way to the identity service can be watched and disturbed. */
export interface Place {
  upstream: FaultingUpstream;
  dashboard: Dashboard;
  sessions: Record<Role, string>;
  close(): Promise<void>;
}

export interface PlaceOptions {
  /** Invented people that the identity service has from the start. */
  people?: number;
  env?: NodeJS.ProcessEnv;
}

export async function startPlace({ people = 0, env = {} }: PlaceOptions = {}): Promise<Place> {
  const upstream = await startFaultingUpstream();
  const dashboard = await startDashboard({
    env: { IDENTITY_ADMIN_URL: upstream.url, ...env },
    storeFromSandbox: true,
    sandbox: { people },
  });
  upstream.target = dashboard.sandbox.environment.IDENTITY_ADMIN_URL ?? '';
  const sessions = { admin: await dashboard.signIn('admin'), viewer: await dashboard.signIn('viewer') };
  return {
    upstream,
    dashboard,
    sessions,
    async close() {
      await dashboard.close();
      await upstream.close();
    },
  };
}

/** One place for all tests of a suite in a browser; its members stand from the suite's `before` on. */
export function placeOfSuite(options: PlaceOptions = {}): Place {
  const place = {} as Place;
  before(async function () {
    needsChromium(this);
    Object.assign(place, await startPlace(options));
  });
  after(() => place.close?.());
  return place;
}

export type Looks = { role?: Role; heading?: string } & Pick<VisitOptions, 'colorScheme' | 'viewport'>;

/** Opens a page of the place as an operator; nothing is disturbed, and what opening it asked for is already seen. */
export const onPage = (
  { upstream, dashboard, sessions }: Place,
  path: string,
  work: (visit: Visit) => Promise<void>,
  { role = 'admin', ...looks }: Looks = {},
): Promise<void> => {
  upstream.calm();
  return signedInVisit(dashboard, sessions[role], { path, ...looks }, work);
};
