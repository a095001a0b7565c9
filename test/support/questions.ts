import type { Locator, Page } from 'playwright-core';
import type { ServiceName, ServiceState, ServiceStatus } from '../../shared/services.ts';
import { becomes } from './becomes.ts';
import type { Dashboard } from './dashboard.ts';
import { rows, search } from './identity-pages.ts';

/** So many take an operator from the overview to an answer, at most. */
export const STEPS_MAX = 8;

/** A service's state is kept for a few seconds, and a busy machine looks later. */
const WATCH_MS = 30_000;

/** Whatever an operator does counts as a step. */
export type Step = <T>(act: Promise<T>) => Promise<T>;

export function stepper(): { step: Step; taken: () => number } {
  let steps = 0;
  return {
    step(act) {
      steps += 1;
      return act;
    },
    taken: () => steps,
  };
}

/** Why somebody does not get in, on their page. */
export const section = (page: Page): Locator => page.getByRole('region', { name: 'Can they sign in?' });
export const verdict = (page: Page): Locator => section(page).getByRole('status').first();
export const findings = (page: Page): Locator => section(page).getByRole('list', { name: 'What was found' });

/** From the overview to why somebody does not get in: the palette, the address, Enter. The index must have been read. */
export async function askWhyNot(page: Page, step: Step, email: string): Promise<void> {
  await step(page.keyboard.press('Control+k'));
  await step(page.getByPlaceholder('Page or action').fill(email));
  await page.getByRole('group', { name: 'Identities' }).getByRole('option').first().waitFor();
  await step(page.keyboard.press('Enter'));
  await section(page).waitFor();
}

/** The link, button or other help beside what was found. */
export const help = (page: Page, role: 'button' | 'link', name: RegExp): Locator =>
  section(page).getByRole(role, { name });

/** Records of the audit trail. */
export const records = (page: Page): Locator =>
  page.getByRole('list', { name: 'Records, the latest first' }).getByRole('listitem');

export const sentences = async (page: Page): Promise<string[]> =>
  (await records(page).locator('> span:first-child').allTextContents()).map((text) => text.trim());

/**
 * From the overview to what an operator changed on somebody in the last seven days.
 * @param question.email of the one who was changed; `typed` is what finds them
 */
export async function askWhatChanged(
  page: Page,
  step: Step,
  { email, typed, by }: { email: string; typed: string; by: string },
): Promise<void> {
  await step(page.getByRole('link', { name: 'Identities', exact: true }).first().click());
  await step(search(page).fill(typed));
  await step(rows(page).getByRole('link', { name: email }).click());
  await step(page.getByRole('link', { name: 'Timeline', exact: true }).click());
  await step(page.getByRole('link', { name: 'Open in the audit trail' }).click());
  await step(page.getByLabel('Who').fill(by));
  await step(page.getByRole('button', { name: 'Last 7 days' }).click());
}

/** Waits until the watch has seen a service so, up without a status. @param session an administrator's */
export const isWatched = (
  { call }: Dashboard,
  session: string,
  { service, status = 'up' }: { service: ServiceName; status?: ServiceStatus },
): Promise<void> =>
  becomes(
    async () => {
      const answer = await call(`/api/services/${service}`, { session });
      const found = (await answer.json()) as ServiceState;
      return [found.status, found.since !== null];
    },
    [status, true],
    'the watch has looked',
    WATCH_MS,
  );

/** Says on every page what is down. */
export const outage = (page: Page): Locator => page.getByRole('region', { name: 'Outage' });

/** Of a service its line in the last seven days, on the system page. */
export const sevenDaysOf = (page: Page, service: string): Locator =>
  page.getByRole('region', { name: 'The last seven days' }).getByRole('listitem').filter({ hasText: service });
