import { eventually } from '../support/eventually.ts';
import { addressesOf } from '../support/every-page.ts';
import { interceptedDashboardOfSuite, onPage } from '../support/intercepted-dashboard.ts';
import { PAGES, type PageRow, prepared } from '../support/page-table.ts';

/** A4 portrait without the browser's margins. */
const SHEET = { width: 718, height: 1047 };

const EVERY_COLUMN: readonly PageRow[] = [
  { page: '/identities', query: '?columns=name,schema,external,sign-in,created,updated,id' },
];

describe('a printed page', function () {
  // A section has up to ten pages.
  this.timeout(900_000);
  const suite = interceptedDashboardOfSuite({ people: 60 });
  let addressOf: (path: string) => string;
  before(async () => {
    await prepared(suite);
    addressOf = await addressesOf(suite);
  });

  for (const [section, rows] of Object.entries({ ...PAGES, 'a list with every column': EVERY_COLUMN }))
    it(`has light colours, every column, fact and exact time, no controls, and nothing that is cut off: ${section}`, async () => {
      for (const { page: path, query = '', prepare } of rows)
        await onPage(suite, { path: addressOf(path) + query, prepare }, async ({ page, expect }) => {
          expect(404, /./);
          await page.waitForLoadState('networkidle');
          await eventually(() => page.locator('[aria-busy=true]').count(), 0);
          const row = page
            .locator('tr[data-row]')
            .filter({ has: page.getByRole('checkbox') })
            .first();
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
        });
    });
});

/** Runs in the page: elements that are dark, cut off, fixed, missing or only useful on a screen. */
function unfitForPaper(): string[] {
  const problems = [];
  const controls =
    'nav, search, kbd, button:not(th *, [data-printed]), main a.mantine-Button-root, [role=menu], [aria-label=Paging], ' +
    'table input[type=checkbox], [aria-label^="Period for"], [role=status][aria-live]:not(main *), header:has(~ main)';
  const head = 'thead th:not(:has(> input), :empty), main dd';
  for (const element of document.body.querySelectorAll<HTMLElement>('*')) {
    const { position, overflowX, overflowY, color, backgroundColor } = getComputedStyle(element);
    const after = getComputedStyle(element, '::after');
    const { width, height, left, right } = element.getBoundingClientRect();
    const isVisible = element.checkVisibility({ visibilityProperty: true });
    const [red = 0, green = 0, blue = 0, opacity = 1] = (backgroundColor.match(/[\d.]+/g) ?? []).map(Number);
    const isPale = (color.match(/\d+/g) ?? []).slice(0, 3).some((part) => Number(part) >= 90);
    const checks = {
      missing: !isVisible && element.matches(head) && element.textContent !== 'Actions',
      'without exact time': isVisible && element.matches('time[title]') && after.content === 'none',
      pale: isVisible && element.matches('main :is(dd, h1)') && isPale,
      indented: element.matches('#content h1') && left >= 20,
      control: isVisible && element.matches(controls),
      stuck: isVisible && ['fixed', 'sticky'].includes(position),
      'beyond the edge': isVisible && right > innerWidth + 1 && element.closest('svg') === null,
      'cut off at the side': isVisible && overflowX !== 'visible' && element.scrollWidth > element.clientWidth + 1,
      'cut off below': isVisible && overflowY !== 'visible' && element.scrollHeight > element.clientHeight + 1,
      dark: isVisible && opacity > 0.5 && width * height > 5_000 && red + green + blue < 600,
    };
    if (isVisible && width * height <= 1) continue;
    for (const [problem, fails] of Object.entries(checks))
      if (fails)
        problems.push(`${problem}: ${element.localName}.${element.className} "${element.textContent?.slice(0, 40)}"`);
  }
  const { backgroundColor } = getComputedStyle(document.body);
  if (backgroundColor !== 'rgb(255, 255, 255)') problems.push(`the sheet is ${backgroundColor}`);
  return problems;
}
