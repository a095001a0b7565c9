import { parseArgs } from 'node:util';

export interface SetupRequest {
  /** Undefined: a default name, and no file where the environment holds everything. */
  envFile: string | undefined;
  /** Email address of the first administrator. */
  admin: string | undefined;
  /** `NAME=FILE` each. */
  keys: readonly string[];
  /** False: only the plan is shown. */
  yes: boolean;
}

/** @returns undefined for arguments that the command does not know */
export function parseSetupArguments(args: readonly string[]): SetupRequest | undefined {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        file: { type: 'string' },
        admin: { type: 'string' },
        key: { type: 'string', multiple: true, default: [] },
        yes: { type: 'boolean', default: false },
      },
    });
    const { file: envFile, admin, key: keys, yes } = values;
    if (envFile === '' || (admin !== undefined && !/^[^\s@]{1,64}@[^\s@]{1,255}$/.test(admin))) return undefined;
    return { envFile, admin, keys, yes };
  } catch {
    return undefined;
  }
}
