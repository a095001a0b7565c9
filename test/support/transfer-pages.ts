import { readFile } from 'node:fs/promises';
import type { Download, Page } from 'playwright-core';
import type { Role } from '../../shared/session.ts';
import { type Visit, visiting } from './browser.ts';
import { originsOf } from './browser-sign-in.ts';
import { type Dashboard, startDashboard } from './dashboard.ts';
import { type FaultingUpstream, startFaultingUpstream } from './faulting-upstream.ts';
import { type StoredIdentity, storedIdentities } from './stored-identities.ts';

/** A dashboard whose way to the identity service can be disturbed. */
export interface Place {
  upstream: FaultingUpstream;
  dashboard: Dashboard;
  sessions: Record<Role, string>;
  close(): Promise<void>;
}

/** @param people invented ones that the identity service has from the start */
export async function startPlace(people = 0): Promise<Place> {
  const upstream = await startFaultingUpstream();
  const dashboard = await startDashboard({
    env: { IDENTITY_ADMIN_URL: upstream.url },
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

export type Looks = { role?: Role; colorScheme?: 'light' | 'dark'; viewport?: { width: number; height: number } };

/** Opens a page of the place as an operator; nothing is disturbed at first. */
export const onPage = (
  place: Place,
  path: string,
  work: (visit: Visit) => Promise<void>,
  looks: Looks = {},
): Promise<void> =>
  visiting({ origins: originsOf(place.dashboard), ...looks }, async (visit) => {
    const { baseUrl } = place.dashboard;
    const value = place.sessions[looks.role ?? 'admin'];
    await visit.context.addCookies([{ name: 'dashboard-session', value, url: baseUrl, sameSite: 'Strict' }]);
    await visit.page.goto(`${baseUrl}${path}`);
    await visit.page.getByRole('heading', { level: 1 }).waitFor();
    place.upstream.seen = [];
    place.upstream.before = () => undefined;
    place.upstream.after = () => undefined;
    await work(visit);
  });

export interface ChosenFile {
  name: string;
  content: string;
}
export const chooseFile = async (page: Page, { name, content }: ChosenFile): Promise<void> => {
  await page.getByText('Choose a file').waitFor();
  await page.locator('input[type=file]').setInputFiles({ name, mimeType: '', buffer: Buffer.from(content) });
};
/** A file of that many people; their external ids begin with the group's name. */
export const people = (group: string, count: number): ChosenFile => ({
  name: `${group}.ndjson`,
  content: Array.from({ length: count }, (_, index) =>
    JSON.stringify({
      schema_id: 'customer',
      traits: { email: `${group}-${index}@b.example` },
      external_id: `${group}-${index}`,
    }),
  ).join('\n'),
});
/** How many identities each batch so far asked to create. */
export const batches = ({ upstream }: Place): number[] =>
  upstream.seen
    .filter(({ method, path }) => method === 'PATCH' && path === '/admin/identities')
    .map(({ body }) => (JSON.parse(body) as { identities: unknown[] }).identities.length);
export const ofGroup = async ({ upstream }: Place, group: string): Promise<StoredIdentity[]> =>
  (await storedIdentities(upstream.target)).filter(({ external_id }) => String(external_id).startsWith(`${group}-`));
/** Presses a button that hands over a file. */
export async function download(page: Page, button: string): Promise<Download> {
  const [saved] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: button }).click(),
  ]);
  return saved;
}
export const textOf = async (file: Download): Promise<string> => readFile(await file.path(), 'utf8');
/** The number beside a word of the last page of an import. */
export const count = async (page: Page, word: string): Promise<string> =>
  (await page
    .locator('dl > div')
    .filter({ has: page.getByText(word, { exact: true }) })
    .locator('dd')
    .textContent()) ?? '';
