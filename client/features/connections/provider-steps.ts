import type { SettingInput } from '../../../shared/settings.ts';
import { SOCIAL_CATEGORY, SOCIAL_ORDER, type SocialField, socialSetting } from '../../../shared/settings.ts';
import type { StoredProvider } from './stored-providers.ts';

/** One setting to write or delete. The writes are not atomic: their order keeps a partial failure safe. */
export interface Step {
  /** Names the step in a sentence: "the client secret". */
  words: string;
  change: { save: SettingInput } | { remove: string };
}

/** The form's values. */
export interface ProviderDraft {
  name: string;
  clientId: string;
  /** Empty keeps the stored one. */
  clientSecret: string;
  displayName: string;
  scopes: string;
  enabled: boolean;
}

const WORDS: Record<SocialField, string> = {
  client_id: 'the client id',
  client_secret: 'the client secret',
  display_name: 'the display name',
  scopes: 'the scopes',
  enabled: 'the enabled state',
};

/**
 * The writes that save a draft. `enabled` becomes true last, and a provider whose credentials change is disabled
 * first: if a write in between fails, nobody is sent to a provider with incomplete credentials.
 * @param before the stored provider; undefined for a new one
 * @param order names in the stored order
 */
export function stepsToSave(
  draft: ProviderDraft,
  before: StoredProvider | undefined,
  order: readonly string[],
): Step[] {
  const { name } = draft;
  const newId = draft.clientId.trim() !== (before?.clientId ?? '');
  const newSecret = draft.clientSecret !== '';
  const disableFirst = before?.enabled === true && (newId || newSecret || !draft.enabled);
  const steps: Step[] = [];
  if (disableFirst) steps.push(saving(name, 'enabled', 'false'));
  if (newId) steps.push(saving(name, 'client_id', draft.clientId.trim()));
  if (newSecret) steps.push(saving(name, 'client_secret', draft.clientSecret, true));
  steps.push(...optional(name, 'display_name', draft.displayName.trim(), before?.displayName, before));
  steps.push(...optional(name, 'scopes', draft.scopes.trim(), before?.scopes, before));
  if (!order.includes(name)) steps.push(ordering([...order, name]));
  if (draft.enabled ? disableFirst || before?.enabled !== true : before?.stored.has('enabled') !== true)
    steps.push(saving(name, 'enabled', String(draft.enabled)));
  return steps;
}

/** Disables the provider first, then deletes its secret: after a failure nothing usable is left. */
export function stepsToRemove({ name, stored }: StoredProvider, order: readonly string[]): Step[] {
  const fields = (['enabled', 'client_secret', 'client_id', 'scopes', 'display_name'] as const).filter((field) =>
    stored.has(field),
  );
  const left = order.filter((other) => other !== name);
  return [
    ...fields.map((field) => removing(name, field)),
    ...(left.length === order.length
      ? []
      : [left.length === 0 ? { words: ORDER, change: { remove: SOCIAL_ORDER } } : ordering(left)]),
  ];
}

export const stepToEnable = (name: string, enabled: boolean): Step => saving(name, 'enabled', String(enabled));

const ORDER = 'the order of the providers';

/** @param names of providers, including names in the stored order that have no provider */
export const ordering = (names: readonly string[]): Step => ({
  words: ORDER,
  change: { save: { key: SOCIAL_ORDER, value: names.join(','), category: SOCIAL_CATEGORY } },
});

/** Moves a provider up or down by one among those that exist. */
export function moved(names: readonly string[], stored: readonly string[], name: string, by: -1 | 1): string[] {
  const next = [...names];
  const from = next.indexOf(name);
  const to = from + by;
  const other = next[to];
  if (from !== -1 && other !== undefined) {
    next[to] = name;
    next[from] = other;
  }
  return [...next, ...stored.filter((one) => !next.includes(one))];
}

function optional(
  name: string,
  field: 'display_name' | 'scopes',
  value: string,
  was: string | undefined,
  before: StoredProvider | undefined,
): Step[] {
  if (value === (was ?? '')) return [];
  if (value !== '') return [saving(name, field, value)];
  return before?.stored.has(field) ? [removing(name, field)] : [];
}

/** Values that are stored encrypted stay encrypted; only the secret requires it. */
const saving = (name: string, field: SocialField, value: string, secret = false): Step => ({
  words: WORDS[field],
  change: {
    save: { key: socialSetting(name, field), value, category: SOCIAL_CATEGORY, ...(secret && { encrypted: true }) },
  },
});

const removing = (name: string, field: SocialField): Step => ({
  words: WORDS[field],
  change: { remove: socialSetting(name, field) },
});
