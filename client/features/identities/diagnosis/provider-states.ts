import type { Setting } from '../../../../shared/settings.ts';
import { type SocialProvider, socialSetting } from '../../../../shared/settings.ts';

/**
 * A provider on the platform's sign-in page: offered, switched off, without what it needs, or unknown to this
 * dashboard.
 */
export type ProviderState = 'offered' | 'disabled' | 'incomplete' | 'unknown';

/** Who provides a credential's identifier, `provider:subject`. */
export const providerOf = (identifier: string): string => identifier.slice(0, Math.max(identifier.indexOf(':'), 0));

/** @param settings of social sign-ins; needed only if one of the names is not offered */
export function providerStates(
  names: readonly string[],
  offered: readonly SocialProvider[],
  settings: readonly Setting[],
): ReadonlyMap<string, ProviderState> {
  const byKey = new Map(settings.map((setting) => [setting.key, setting]));
  const has = (name: string, field: 'client_id' | 'client_secret'): boolean => {
    const setting = byKey.get(socialSetting(name, field));
    return setting !== undefined && (setting.encrypted || setting.value.trim() !== '');
  };
  const stateOf = (name: string): ProviderState => {
    const isOffered = offered.some(({ provider }) => provider === name);
    // Known by any of its settings; one that is offered without settings being asked for lacks nothing that is known.
    if (![...byKey.keys()].some((key) => key.startsWith(`social.${name}.`))) return isOffered ? 'offered' : 'unknown';
    if (!has(name, 'client_id') || !has(name, 'client_secret')) return 'incomplete';
    return isOffered ? 'offered' : 'disabled';
  };
  return new Map(names.map((name) => [name, stateOf(name)]));
}
