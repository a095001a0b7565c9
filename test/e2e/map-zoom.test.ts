import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import type { SessionLocations } from '../../shared/locations.ts';
import type { Visit } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { interceptedDashboardOfSuite, onPage } from '../support/intercepted-dashboard.ts';

/** Neighbours whose circles overlap on a map of the world, and one far away. */
const POINTS = [
  { lat: 52.1, lng: 5.3, count: 40, label: 'Netherlands' },
  { lat: 50.6, lng: 4.6, count: 30, label: 'Belgium' },
  { lat: 49.8, lng: 6.1, count: 20, label: 'Luxembourg' },
  { lat: 51.2, lng: 10.4, count: 20, label: 'Germany' },
  { lat: -41.8, lng: 171.5, count: 2, label: 'New Zealand' },
];
const LOCATIONS: SessionLocations = {
  points: POINTS,
  unknown: 0,
  sessions: 112,
  truncated: false,
  as_of: '2026-01-01T00:00:00.000Z',
};

describe('the map of sessions', () => {
  const suite = interceptedDashboardOfSuite();
  const prepare = ({ context }: Visit) =>
    context.route('**/api/session-locations*', (route) => route.fulfill({ json: LOCATIONS }));
  const onMap = (work: (visit: Visit) => Promise<void>): Promise<void> =>
    onPage(suite, { path: '/sessions', prepare }, async (visit) => {
      await visit.page.getByRole('button', { name: 'Map', exact: true }).click();
      await circle(visit.page, 'Netherlands').waitFor();
      await visit.page.getByRole('button', { name: '+ Location' }).waitFor();
      // The locations are countries only.
      assert.equal(await visit.page.getByRole('button', { name: '+ City' }).count(), 0);
      await work(visit);
    });
  const map = (page: Page): Locator => page.getByRole('group', { name: /^Map of session locations/ });
  const circle = (page: Page, country: string): Locator => map(page).getByRole('button', { name: country });
  const button = (page: Page, name: string): Locator => map(page).getByRole('button', { name, exact: true });
  const boxOf = async (locator: Locator) => (await locator.boundingBox()) ?? assert.fail('not rendered');
  /** The distance between the centres of two circles, in pixels. */
  const distance = async (page: Page, first: string, second: string): Promise<number> => {
    const [a, b] = await Promise.all([boxOf(circle(page, first)), boxOf(circle(page, second))]);
    return Math.hypot(a.x + a.width / 2 - b.x - b.width / 2, a.y + a.height / 2 - b.y - b.height / 2);
  };
  /** Whether the centre of a circle is within the map. */
  const isVisible = async (page: Page, country: string): Promise<boolean> => {
    const [frame, box] = await Promise.all([boxOf(map(page)), boxOf(circle(page, country))]);
    const [x, y] = [box.x + box.width / 2 - frame.x, box.y + box.height / 2 - frame.y];
    return x >= 0 && y >= 0 && x <= frame.width && y <= frame.height;
  };

  it('zooms in with its buttons until neighbouring circles separate, without enlarging them', () =>
    onMap(async ({ page }) => {
      const { width } = await boxOf(circle(page, 'Netherlands'));
      const before = await distance(page, 'Netherlands', 'Belgium');
      assert.ok(before < width / 2, `${before}`);
      for (const times of [2, 4, 8, 16, 32]) {
        await button(page, 'Zoom in').click();
        await eventually(() => map(page).getByRole('status').textContent(), `Zoomed in ${times}×`);
        await eventually(async () => Math.round((await boxOf(circle(page, 'Netherlands'))).width), Math.round(width));
        await eventually(() => isVisible(page, 'Netherlands'), true);
      }
      await eventually(async () => Math.abs((await distance(page, 'Netherlands', 'Belgium')) - 32 * before) < 16, true);
      assert.ok(32 * before > width + 16);
      await eventually(() => button(page, 'Zoom in').getAttribute('aria-disabled'), 'true');
      await button(page, 'Zoom out').click();
      await eventually(() => map(page).getByRole('status').textContent(), 'Zoomed in 16×');
      await button(page, 'Show the whole map').click();
      await eventually(() => map(page).getByRole('status').textContent(), '');
      await eventually(async () => Math.abs((await distance(page, 'Netherlands', 'Belgium')) - before) < 1, true);
      await eventually(() => button(page, 'Zoom out').getAttribute('aria-disabled'), 'true');
    }));

  it('can be dragged no further than its edges, and still filters the list by a circle when zoomed in', () =>
    onMap(async ({ page }) => {
      const { x, y, width, height } = await boxOf(map(page));
      const eastward = async (): Promise<number> => {
        const box = await boxOf(circle(page, 'Netherlands'));
        return box.x + box.width / 2 - x;
      };
      const unzoomed = await eastward();
      await button(page, 'Zoom in').click();
      await button(page, 'Zoom in').click();
      const before = await boxOf(circle(page, 'Netherlands'));
      const drag = async (right: number): Promise<void> => {
        await page.mouse.move(x + width * 0.75, y + height * 0.9);
        await page.mouse.down();
        await page.mouse.move(x + width * 0.75 + right, y + height * 0.9, { steps: 3 });
        await page.mouse.up();
      };
      await drag(-40);
      await eventually(async () => Math.round((await boxOf(circle(page, 'Netherlands'))).x - before.x), -40);
      for (let times = 0; times < 12; times += 1) await drag(width / 5);
      // With the western edge in view, distances from it are four times as long.
      await eventually(async () => Math.abs((await eastward()) - 4 * unzoomed) < 1, true);
      await button(page, 'Show the whole map').click();
      await button(page, 'Zoom in').click();
      await circle(page, 'Germany').click();
      await eventually(() => new URL(page.url()).searchParams.get('lat'), '51.2');
      await eventually(() => map(page).getByRole('status').textContent(), 'Zoomed in 2×');
    }));
});
