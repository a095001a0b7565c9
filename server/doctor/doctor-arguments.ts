import { parseArgs } from 'node:util';
import { originOf } from './outside.ts';

/** @returns undefined for arguments that the command does not know */
export function parseDoctorArguments(
  args: readonly string[],
): { connects: boolean; json: boolean; from: string | undefined } | undefined {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: { environment: { type: 'boolean' }, from: { type: 'string' }, json: { type: 'boolean' } },
    });
    const { environment = false, json = false, from: address } = values;
    const from = address === undefined ? undefined : originOf(address);
    if (address !== undefined && (from === undefined || environment)) return undefined;
    return { connects: !environment, json, from };
  } catch {
    return undefined;
  }
}
