import { useQuery, useQueryClient } from '@tanstack/react-query';
import {
  isProviderName,
  type Setting,
  type SettingInput,
  SOCIAL_CATEGORY,
  SOCIAL_ORDER,
  type SocialField,
  socialSetting,
} from '../../../shared/settings.ts';
import { reworded, unlessGone } from '../../api/request.ts';
import {
  deleteSetting,
  SETTINGS_KEY,
  saveSetting,
  socialConnectionsQuery,
  socialSettingsQuery,
} from '../../api/settings.ts';
import { withoutBlanks } from '../../lib/visible-text.ts';
import { offerSettingUndo, type SettingWrite, settingWrite } from '../../record/undo.ts';
import { UndoRefused } from '../../ui/toasts.tsx';
import { missing, type StoredProvider, storedProviders } from './providers.ts';

export interface ProviderDraft {
  name: string;
  clientId: string;
  /** An empty value leaves the stored secret unchanged. */
  clientSecret: string;
  displayName: string;
  scopes: string;
  enabled: boolean;
}

export const EMPTY_DRAFT: ProviderDraft = {
  name: '',
  clientId: '',
  clientSecret: '',
  displayName: '',
  scopes: '',
  enabled: true,
};

export const draftOf = ({ stored, ...fields }: StoredProvider): ProviderDraft => ({ ...fields, clientSecret: '' });

/** A client secret without blanks at its ends, which no provider issues. A private key keeps its last line break. */
export function secretOf(typed: string): string {
  const secret = withoutBlanks(typed);
  return secret.startsWith('-----BEGIN ') ? typed.slice(typed.indexOf(secret)) : secret;
}

/** @param exists whether the provider already has settings, so that its own name is not a duplicate */
export function draftProblems(
  draft: ProviderDraft,
  before: StoredProvider | undefined,
  exists: boolean,
): Partial<Record<'name' | 'clientId' | 'clientSecret', string>> {
  const problems: ReturnType<typeof draftProblems> = {};
  if (!isProviderName(draft.name)) problems.name = 'Up to 40 characters: a to z, 0 to 9, hyphen and underscore.';
  else if (!exists && before !== undefined)
    problems.name = 'A provider with this name already exists. Edit that one instead.';
  if (withoutBlanks(draft.clientId) === '' && !(before?.stored.has('client_id') && before.clientId === ''))
    problems.clientId = 'Enter the client ID issued by the provider.';
  if (draft.enabled && withoutBlanks(draft.clientSecret) === '' && !before?.stored.has('client_secret'))
    problems.clientSecret = 'A secret is required to enable the provider.';
  return problems;
}

/** One setting to write or delete. The steps are not atomic; their order makes a partial failure safe. */
export interface Step {
  /** The setting's name in a sentence: "the client secret". */
  name: string;
  change: { save: SettingInput } | { remove: string };
}

/**
 * The writes that save a draft. `enabled` becomes true last, and changed credentials disable the provider first: if a
 * write fails, login pages never use incomplete credentials.
 * @param before undefined for a new provider
 * @param listed providers as login pages have them: those that the stored order does not name keep their places
 */
export function stepsToSave(
  draft: ProviderDraft,
  before: StoredProvider | undefined,
  order: readonly string[],
  listed: readonly string[] = [],
): Step[] {
  const { name } = draft;
  const clientId = withoutBlanks(draft.clientId);
  const secret = secretOf(draft.clientSecret);
  const isNewId = clientId !== (before?.clientId ?? '');
  const disableFirst = before?.enabled === true && (isNewId || secret !== '' || !draft.enabled);
  const setEnabled = draft.enabled ? disableFirst || !before?.enabled : !before?.stored.has('enabled');
  const optional = (field: 'display_name' | 'scopes', value: string, was = ''): Step[] => {
    if (value === was) return [];
    if (value !== '') return [stepToSave(name, field, value)];
    return before?.stored.has(field) ? [stepToDelete(name, field)] : [];
  };
  return [
    ...(disableFirst ? [stepToEnable(name, false)] : []),
    ...(isNewId ? [stepToSave(name, 'client_id', clientId)] : []),
    ...(secret !== '' ? [stepToSave(name, 'client_secret', secret)] : []),
    ...optional('display_name', draft.displayName.trim(), before?.displayName),
    ...optional('scopes', withoutBlanks(draft.scopes), before?.scopes),
    ...(order.includes(name) ? [] : [stepToOrder([...new Set([...listed, ...order, name])])]),
    ...(setEnabled ? [stepToEnable(name, draft.enabled)] : []),
  ];
}

/** Disables the provider before deleting its secret, so that a failure leaves nothing usable behind. */
export function stepsToRemove({ name, stored }: StoredProvider, order: readonly string[]): Step[] {
  const fields = (['enabled', 'client_secret', 'client_id', 'scopes', 'display_name'] as const).filter((field) =>
    stored.has(field),
  );
  const steps = fields.map((field) => stepToDelete(name, field));
  return order.includes(name) ? [...steps, stepToOrder(order.filter((other) => other !== name))] : steps;
}

export const stepToEnable = (name: string, enabled: boolean): Step => stepToSave(name, 'enabled', String(enabled));

/** @param names provider names, including stored names without a provider */
export const stepToOrder = (names: readonly string[]): Step => ({
  name: 'the order of the providers',
  change:
    names.length === 0
      ? { remove: SOCIAL_ORDER }
      : { save: { key: SOCIAL_ORDER, value: names.join(','), category: SOCIAL_CATEGORY } },
});

/** Moves a provider up or down by one position among the existing providers. */
export function moved(names: readonly string[], stored: readonly string[], name: string, by: -1 | 1): string[] {
  const next = [...names];
  const from = next.indexOf(name);
  const other = next[from + by];
  if (from !== -1 && other !== undefined) {
    next[from + by] = name;
    next[from] = other;
  }
  return [...next, ...stored.filter((one) => !next.includes(one))];
}

const FIELDS: Record<SocialField, string> = {
  client_id: 'the client ID',
  client_secret: 'the client secret',
  display_name: 'the display name',
  scopes: 'the scopes',
  enabled: 'the enabled state',
};

/** Requests encryption only for the secret. Other values that are already encrypted stay encrypted. */
const stepToSave = (provider: string, field: SocialField, value: string): Step => ({
  name: FIELDS[field],
  change: {
    save: {
      key: socialSetting(provider, field),
      value,
      category: SOCIAL_CATEGORY,
      ...(field === 'client_secret' && { encrypted: true }),
    },
  },
});

const stepToDelete = (provider: string, field: SocialField): Step => ({
  name: FIELDS[field],
  change: { remove: socialSetting(provider, field) },
});

export function useSteps() {
  const queryClient = useQueryClient();
  const { data: settings = [] } = useQuery(socialSettingsQuery);
  return {
    /**
     * Runs the steps in sequence and refetches the settings. Rejects at the first failure, with the name of the step.
     */
    runSteps: (steps: readonly Step[], reason?: string): Promise<SettingWrite[]> =>
      changesBy(steps, settings, reason).finally(() => {
        void queryClient.invalidateQueries({ queryKey: socialConnectionsQuery.queryKey });
        return queryClient.invalidateQueries({ queryKey: SETTINGS_KEY });
      }),
    /** Confirms the change in a toast, and offers undo. @param before undefined for a new provider */
    offerUndo(text: string, before: StoredProvider | undefined, changes: readonly SettingWrite[]): void {
      offerSettingUndo(text, changes, queryClient, async () => {
        if (!before?.enabled) return;
        // The credentials may have been deleted since: login pages must not offer a provider without credentials.
        const now = storedProviders(await queryClient.fetchQuery({ ...socialSettingsQuery, staleTime: 0 }));
        const stored = new Set(now.find(({ name }) => name === before.name)?.stored);
        for (const field of before.stored)
          if (changes.some(({ key }) => key === socialSetting(before.name, field))) stored.add(field);
        const problem = missing({ ...before, stored });
        if (problem !== undefined)
          throw new UndoRefused(`The provider would be enabled again, but cannot work. ${problem}`);
      });
    },
  };
}

/** @param settings the social sign-in settings before the first step */
async function changesBy(
  steps: readonly Step[],
  settings: readonly Setting[],
  reason: string | undefined,
): Promise<SettingWrite[]> {
  const stored = new Map(settings.map((setting) => [setting.key, setting]));
  const changes: SettingWrite[] = [];
  for (const [index, { name, change }] of steps.entries()) {
    try {
      if ('save' in change) {
        const { key } = change.save;
        const saved = await saveSetting(change.save, undefined, reason);
        changes.push(settingWrite(stored.get(key), saved));
        stored.set(key, saved.setting);
      } else {
        const key = change.remove;
        const undoVersion = await deleteSetting(key, undefined, reason).catch(unlessGone);
        if (undoVersion !== undefined) changes.push({ key, before: stored.get(key), undoVersion, after: null });
      }
    } catch (error) {
      const failed = error as Error;
      throw reworded(failed, `Step ${index + 1} of ${steps.length} (${name}) failed: ${failed.message}`);
    }
  }
  return changes;
}
