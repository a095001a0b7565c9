import { convertCssVariables, DEFAULT_THEME, defaultCssVariablesResolver, mergeMantineTheme } from '@mantine/core';
import type { Deployment } from '../../../shared/deployment.ts';
import { COLOURS, themeOf } from '../theme.ts';

type Variables = Parameters<typeof convertCssVariables>[0];

/**
 * The style sheet of the theme's variables, for the build: Mantine would work them out in every browser, on every page,
 * and change the style of the whole page by them. What Mantine's own style sheet says stands there alone, and what the
 * workforce has in common with customers stands once.
 */
export function themeVariables(): string {
  const customer = variablesOf('customer');
  return [
    convertCssVariables(changed(customer, defaultCssVariablesResolver(DEFAULT_THEME)), ':root'),
    convertCssVariables(changed(variablesOf('workforce'), customer), ':root[data-deployment="workforce"]'),
  ].join('\n');
}

function variablesOf(deployment: Deployment): Variables {
  const { variables, light, dark } = defaultCssVariablesResolver(mergeMantineTheme(DEFAULT_THEME, themeOf(deployment)));
  return { variables, light: { ...light, ...COLOURS.light }, dark: { ...dark, ...COLOURS.dark } };
}

function changed(now: Variables, before: Variables): Variables {
  const differing = (values: Record<string, string>, others: Record<string, string>): Record<string, string> =>
    Object.fromEntries(Object.entries(values).filter(([name, value]) => others[name] !== value));
  return {
    variables: differing(now.variables, before.variables),
    light: differing(now.light, before.light),
    dark: differing(now.dark, before.dark),
  };
}
