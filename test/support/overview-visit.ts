import { type Visit, type VisitOptions, visiting } from './browser.ts';
import { originsOf } from './browser-sign-in.ts';
import type { Dashboard } from './dashboard.ts';
import { answerWith, BUSY } from './overview-answers.ts';

export interface OverviewOptions extends Pick<VisitOptions, 'colorScheme' | 'viewport'> {
  answers?: Record<string, () => unknown>;
  /** Before the page is opened. */
  prepare?: (visit: Visit) => Promise<unknown>;
  timeZone?: string;
}

/** Opens the overview of an operator, with answers that are known. */
export const onOverview = (
  dashboard: Dashboard,
  session: string,
  work: (visit: Visit) => Promise<void>,
  { answers = BUSY, prepare, ...look }: OverviewOptions = {},
): Promise<void> =>
  visiting({ origins: originsOf(dashboard), ...look }, async (visit) => {
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
