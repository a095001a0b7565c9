import assert from 'node:assert/strict';
import { DEPLOYMENTS, type Deployment } from '../../shared/upstreams.ts';
import { pretendBrowser } from '../support/dom.ts';

/** The declarations of a style sheet, by selector and variable. */
type Said = Record<string, Record<string, string>>;

function saidBy(css: string): Said {
  const said: Said = {};
  for (const [, selector = '', body = ''] of css.matchAll(/([^{}]+)\{([^}]*)\}/g)) {
    const variables = [...body.matchAll(/(--[\w-]+):\s*([^;]*);/g)].map(([, name, value]) => [name, value]);
    const at = selector.trim().replaceAll('"', '');
    said[at] = { ...said[at], ...Object.fromEntries(variables) };
  }
  return said;
}

describe('the style sheet of the theme', () => {
  let browser: ReturnType<typeof pretendBrowser>;
  before(() => {
    browser = pretendBrowser('http://127.0.0.1:9/');
  });
  after(() => browser.close());

  /** Imported late, since they need a browser when they are evaluated. */
  const parts = async () => ({
    ...(await import('react')),
    ...(await import('react-dom/client')),
    ...(await import('@mantine/core')),
    ...(await import('../../client/app/theme.ts')),
    ...(await import('../../client/app/startup/theme-variables.ts')),
  });

  /** All the variables that Mantine sets in a page, including those in its own style sheet. */
  async function asMantineSays(deployment: Deployment): Promise<Said> {
    const { act, createRoot, MantineProvider, themeOf, COLOURS } = await parts();
    const place = document.createElement('div');
    const root = createRoot(place);
    await act(async () =>
      root.render(
        <MantineProvider
          theme={themeOf(deployment)}
          cssVariablesResolver={() => ({ variables: {}, ...COLOURS })}
          deduplicateCssVariables={false}
          cssVariablesSelector=":root"
        >
          {null}
        </MantineProvider>,
      ),
    );
    const said = saidBy(place.querySelector('style[data-mantine-styles=true]')?.innerHTML ?? '');
    await act(async () => root.unmount());
    return said;
  }

  for (const deployment of DEPLOYMENTS)
    it(`says for the ${deployment} deployment what Mantine would`, async () => {
      const { themeVariables, convertCssVariables, defaultCssVariablesResolver, DEFAULT_THEME } = await parts();
      const usual = saidBy(convertCssVariables(defaultCssVariablesResolver(DEFAULT_THEME), ':root'));
      const ours = saidBy(themeVariables());
      const expected = await asMantineSays(deployment);
      for (const scheme of ['', '[data-mantine-color-scheme=light]', '[data-mantine-color-scheme=dark]']) {
        const both = { ...usual[`:root${scheme}`], ...ours[`:root${scheme}`] };
        const own = deployment === 'workforce' ? ours[`:root[data-deployment=workforce]${scheme}`] : {};
        const all = Object.entries(expected[`:root${scheme}`] ?? {});
        assert.ok(all.length > 20, scheme);
        for (const [name, value] of all)
          if (name !== '--mantine-color-scheme') assert.equal({ ...both, ...own }[name], value, `${name} ${scheme}`);
      }
      assert.match(JSON.stringify(ours), deployment === 'workforce' ? /teal-filled/ : /indigo-filled/);
    });
});
