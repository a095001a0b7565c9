import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import {
  isProviderName,
  type Setting,
  type SettingInput,
  SOCIAL_CATEGORY,
  SOCIAL_ORDER,
  type SocialField,
  socialSetting,
} from '../../../shared/settings.ts';
import { RequestError, reworded } from '../../api/request.ts';
import {
  deleteSetting,
  SETTINGS_KEY,
  saveSetting,
  socialConnectionsQuery,
  socialSettingsQuery,
} from '../../api/settings.ts';
import { offerSettingUndo, type SettingChange, settingChange } from '../../record/undo.ts';
import { UndoRefused } from '../../ui/undo-offer.tsx';
import { missing, type StoredProvider, storedProviders } from './providers.ts';

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

export const EMPTY_DRAFT: ProviderDraft = {
  name: '',
  clientId: '',
  clientSecret: '',
  displayName: '',
  scopes: '',
  enabled: true,
};

export const draftOf = ({ name, clientId, displayName, scopes, enabled }: StoredProvider): ProviderDraft => ({
  name,
  clientId,
  clientSecret: '',
  displayName,
  scopes,
  enabled,
});

export type DraftProblems = Partial<Record<'name' | 'clientId' | 'clientSecret', string>>;

/** @param begun an existing provider, or a new one that is partly written: its name is not a duplicate */
export function draftProblems(draft: ProviderDraft, before: StoredProvider | undefined, begun: boolean): DraftProblems {
  const problems: DraftProblems = {};
  if (!isProviderName(draft.name)) problems.name = 'Up to 40 characters: a to z, 0 to 9, hyphen and underscore.';
  else if (!begun && before !== undefined)
    problems.name = 'A provider with this name already exists. Edit that one instead.';
  if (draft.clientId.trim() === '' && !(before?.stored.has('client_id') && before.clientId === ''))
    problems.clientId = 'Enter the client id issued by the provider.';
  if (draft.enabled && draft.clientSecret === '' && !before?.stored.has('client_secret'))
    problems.clientSecret = 'A secret is required to enable it.';
  return problems;
}

/**
 * Says what was done to a provider, and offers to undo it.
 * @param before the provider as it was; undefined for a new one
 */
export function offerProviderUndo(
  said: string,
  before: StoredProvider | undefined,
  changes: readonly SettingChange[],
  queryClient: QueryClient,
): void {
  offerSettingUndo(said, changes, queryClient, async () => {
    if (!before?.enabled) return;
    // Somebody may have taken its credentials away since: login pages must not send people to it without them.
    const now = storedProviders(await queryClient.fetchQuery({ ...socialSettingsQuery, staleTime: 0 }));
    const stored = new Set(now.find(({ name }) => name === before.name)?.stored);
    for (const field of before.stored)
      if (changes.some(({ key }) => key === socialSetting(before.name, field))) stored.add(field);
    const lacks = missing({ ...before, stored });
    if (lacks !== undefined) throw new UndoRefused(`It would be enabled again, but cannot work. ${lacks}`);
  });
}

/**
 * Runs steps in sequence and stops at the first failure.
 * @param settings those of social sign-ins before the first step
 * @returns what was changed
 * @throws the failure, with the name of the step in its message
 */
export async function runSteps(steps: readonly Step[], settings: readonly Setting[]): Promise<SettingChange[]> {
  const stored = new Map(settings.map((setting) => [setting.key, setting]));
  const changes: SettingChange[] = [];
  for (const [index, { words, change }] of steps.entries()) {
    try {
      const key = 'save' in change ? change.save.key : change.remove;
      const before = stored.get(key);
      if ('save' in change) {
        const changed = await saveSetting(change.save);
        stored.set(key, changed.setting);
        changes.push(settingChange(before, changed));
      } else {
        const undoVersion = await deleteSetting(key).catch(goneIsFine);
        if (undoVersion !== undefined) changes.push({ key, before, undoVersion, after: null });
      }
    } catch (error) {
      const failed = error as Error;
      throw reworded(failed, `Step ${index + 1} of ${steps.length} (${words}) failed: ${failed.message}`);
    }
  }
  return changes;
}

function goneIsFine(error: unknown): undefined {
  if (!(error instanceof RequestError && error.status === 404)) throw error;
}

/**
 * Runs steps and then refetches the settings, even after a failure. What login pages offer is refetched without
 * waiting for it.
 * @returns resolves with what was changed
 */
export function useSteps(): (steps: readonly Step[]) => Promise<SettingChange[]> {
  const queryClient = useQueryClient();
  const { data: settings = [] } = useQuery(socialSettingsQuery);
  return (steps) =>
    runSteps(steps, settings).finally(() => {
      void queryClient.invalidateQueries({ queryKey: socialConnectionsQuery.queryKey });
      return queryClient.invalidateQueries({ queryKey: SETTINGS_KEY });
    });
}
