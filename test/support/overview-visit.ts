import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import type { DashboardLayout, WidgetPlacement } from '../../shared/dashboard-layout.ts';
import type { Statistics } from '../../shared/statistics.ts';
import { becomes } from './becomes.ts';
import { originsOf, type Visit, type VisitOptions, visiting } from './browser.ts';
import type { Dashboard } from './dashboard.ts';
import { answerWith, BUSY } from './overview-answers.ts';

export interface OverviewOptions extends Pick<VisitOptions, 'colorScheme' | 'viewport' | 'timeZone'> {
  answers?: Record<string, () => unknown>;
  /** Before the page is opened; what it routes goes before the answers. */
  prepare?: (visit: Visit) => Promise<unknown>;
}

/** Opens the overview of an operator, with answers that are known. */
export const onOverview = (
  dashboard: Dashboard,
  session: string,
  work: (visit: Visit) => Promise<void>,
  { answers = BUSY, prepare, ...look }: OverviewOptions = {},
): Promise<void> =>
  visiting({ origins: originsOf(dashboard), warm: true, ...look }, async (visit) => {
    const { context, page } = visit;
    await context.addCookies([
      { name: 'dashboard-session', value: session, url: dashboard.baseUrl, httpOnly: true, sameSite: 'Strict' },
    ]);
    await answerWith(context, answers);
    await prepare?.(visit);
    await page.goto(`${dashboard.baseUrl}/dashboard`);
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await work(visit);
  });

/** What the service has stored for the operator. */
export async function storedLayout(dashboard: Dashboard, session: string): Promise<DashboardLayout['layout']> {
  const answer = await dashboard.call('/api/dashboard/layout', { session });
  return ((await answer.json()) as DashboardLayout).layout;
}

/** Stores it whatever was stored before. */
export async function storeLayout(
  dashboard: Dashboard,
  session: string,
  layout: DashboardLayout['layout'],
): Promise<void> {
  const answer = await dashboard.call('/api/dashboard/layout', { session, method: 'PUT', json: { layout } });
  assert.equal(answer.status, 200);
}

/** Where the widget stands in the stored layout. */
export const placeOf = (layout: DashboardLayout['layout'], id: string): WidgetPlacement | undefined =>
  layout?.widgets.find((widget) => widget.id === id);

/** Waits until everything that was arranged is stored. */
export const saved = (page: Page): Promise<void> => page.locator('[data-saving="saved"]').waitFor();

/** The lists are read in turn, with pauses. */
const READING_MS = 40_000;

/** Waits until something of every list has been read: a page that is opened earlier says for a moment that nothing has. */
export async function hasRead(dashboard: Dashboard, session: string): Promise<void> {
  const known = async (): Promise<boolean> => {
    const answer = (await (await dashboard.call('/api/dashboard/statistics', { session })).json()) as Statistics;
    return answer.identities !== null && answer.sessions !== null && answer.clients !== null;
  };
  await becomes(known, true, 'everything is read', READING_MS);
}
