import { isProviderName } from '../../../shared/settings.ts';
import type { ProviderDraft } from './provider-steps.ts';
import type { StoredProvider } from './stored-providers.ts';

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
