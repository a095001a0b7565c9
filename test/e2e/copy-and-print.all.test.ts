import { eventually } from '../support/eventually.ts';
import { addressesOf } from '../support/every-page.ts';
import { interceptedDashboardOfSuite, onPage } from '../support/intercepted-dashboard.ts';
import type { PageRow } from '../support/page-rows.ts';
import { PAGES, prepared } from '../support/page-table.ts';

/** A4 upright, without the margins that browsers leave. */
const SHEET = { width: 718, height: 1047 };

const EVERY_COLUMN: readonly PageRow[] = [
  { page: '/identities', query: '?columns=name,schema,external,sign-in,created,updated,id' },
];

describe('every page on paper, in a browser', function () {
  // Of a section of ten pages.
  this.timeout(300_000);
  const suite = interceptedDashboardOfSuite({ people: 60 });
  let addressOf: (path: string) => string;
  before(async () => {
    await prepared(suite);
    addressOf = await addressesOf(suite.dashboard, suite.sessions.admin);
  });

  for (const [section, rows] of Object.entries({ ...PAGES, 'a list with every column': EVERY_COLUMN }))
    it(`is light in every scheme, cuts nothing off, and has all columns and no controls: ${section}`, async () => {
      for (const { page: path, query = '', given } of rows)
        await onPage(
          suite,
          addressOf(path) + query,
          async ({ page, expect }) => {
            expect(404, /./);
            await page.waitForLoadState('networkidle');
            await eventually(() => page.locator('[aria-busy=true]').count(), 0);
            const row = page.locator('tr[data-row]').first();
            if (await row.isVisible()) {
              await row.focus();
              await page.keyboard.press('x');
              await page.getByText('1 selected on this page').waitFor();
            }
            await page.emulateMedia({ media: 'print' });
            await page.setViewportSize(SHEET);
            for (const colorScheme of ['dark', 'light'] as const) {
              await page.emulateMedia({ colorScheme });
              await eventually(() => page.evaluate(unfitForPaper), [], `${path}, ${colorScheme}`);
            }
            await page.emulateMedia({ media: null });
          },
          { given },
        );
    });
});

/** Runs in the page, where it stands alone: what is dark, cut off, stuck, missing or only of use on a screen. */
function unfitForPaper(): string[] {
  const found = [];
  const controls =
    'nav, search, kbd, button:not(th *, [data-printed]), main a.mantine-Button-root, [role=menu], [aria-label=Paging], ' +
    'table input[type=checkbox], [aria-label^="Period for"], [role=status][aria-live]:not(main *), header:has(~ main)';
  const head = 'thead th:not(:has(> input), :empty)';
  for (const element of document.body.querySelectorAll<HTMLElement>('*')) {
    const { position, overflowX, overflowY, backgroundColor } = getComputedStyle(element);
    const { width, height, right } = element.getBoundingClientRect();
    const isShown = element.checkVisibility({ visibilityProperty: true });
    const [red = 0, green = 0, blue = 0, opacity = 1] = (backgroundColor.match(/[\d.]+/g) ?? []).map(Number);
    const problems = {
      missing: !isShown && element.matches(head) && element.textContent !== 'Actions',
      control: isShown && element.matches(controls),
      stuck: isShown && ['fixed', 'sticky'].includes(position),
      'beyond the edge': isShown && right > innerWidth + 1 && element.closest('svg') === null,
      'cut off at the side': isShown && overflowX !== 'visible' && element.scrollWidth > element.clientWidth + 1,
      'cut off below': isShown && overflowY !== 'visible' && element.scrollHeight > element.clientHeight + 1,
      dark: isShown && opacity > 0.5 && width * height > 5_000 && red + green + blue < 600,
    };
    if (isShown && width * height <= 1) continue;
    for (const [problem, is] of Object.entries(problems))
      if (is)
        found.push(`${problem}: ${element.localName}.${element.className} "${element.textContent?.slice(0, 40)}"`);
  }
  const { backgroundColor } = getComputedStyle(document.body);
  if (backgroundColor !== 'rgb(255, 255, 255)') found.push(`the sheet is ${backgroundColor}`);
  return found;
}
