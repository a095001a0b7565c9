import { apiKeySetting, isBearerKey, UPSTREAMS, type UpstreamName } from '../../shared/upstreams.ts';
import { secretIn } from '../config/secret-files.ts';
import type { Storage } from '../deps/storage.ts';
import { type Found, SetupFailed, type Step } from './step.ts';

/** Keys of admin APIs as given on the command line, by upstream. */
export type GivenKeys = ReadonlyMap<UpstreamName, string>;

/** @param given `NAME=FILE` of each `--key` @throws SetupFailed */
export function readKeys(given: readonly string[]): GivenKeys {
  const admins = UPSTREAMS.filter(({ admin }) => admin).map(({ name }) => name);
  return new Map(
    given.map((argument) => {
      const [, name = '', path = ''] = /^([^=]+)=(.+)$/.exec(argument) ?? [];
      const upstream = admins.find((admin) => admin === name);
      if (upstream === undefined) throw new SetupFailed(`--key must be NAME=FILE, with one of ${admins.join(', ')}.`);
      const { text, problem } = secretIn(path);
      if (text === undefined) throw new SetupFailed(`--key ${name} ${problem}.`);
      if (!isBearerKey(text)) throw new SetupFailed(`--key ${name} must hold printable ASCII without spaces.`);
      return [upstream, text];
    }),
  );
}

/** Stores each key as the setting that the dashboard reads, unless it is there. */
export const keySteps = (keys: GivenKeys, { settings, vault }: Storage, hasTables: () => Promise<boolean>): Step[] =>
  [...keys].map(([name, value]) => ({
    title: `Key of ${name}`,
    async look(): Promise<Found> {
      const key = apiKeySetting(name);
      const stored = (await hasTables()) ? await settings.get(key).catch(() => undefined) : undefined;
      if (stored?.encrypted === true && stored.value === value)
        return { state: 'done', text: `It is stored as ${key}.` };
      const apply = async (): Promise<readonly string[]> => {
        await vault.put({ key, value, encrypted: true }, 'command-line');
        return [];
      };
      return {
        state: 'todo',
        text: `Store it as ${key}, ${stored === undefined ? 'encrypted' : 'instead of another'}`,
        apply,
      };
    },
  }));
