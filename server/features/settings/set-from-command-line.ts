import type { Setting } from '../../../shared/settings.ts';
import { parseSettingInput, parseSettingKey } from './settings-input.ts';
import type { SettingsVault } from './settings-vault.ts';

/**
 * `settings:set KEY` with the value on standard input: the way in if a wrong key has locked everyone out. A new setting
 * is stored encrypted, an existing one as before. One trailing line break is not part of the value.
 * @throws ApiError `bad_request` that names the problem with key or value
 */
export async function setFromCommandLine(
  vault: SettingsVault,
  key: string,
  input: AsyncIterable<Uint8Array>,
): Promise<{ setting: Setting; created: boolean }> {
  const stored = await vault.get(parseSettingKey(key));
  const chunks: Uint8Array[] = [];
  for await (const chunk of input) chunks.push(chunk);
  const value = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks));
  const body = { key, value: value.replace(/\r?\n$/, ''), ...(stored === undefined ? { encrypted: true } : {}) };
  return vault.put(parseSettingInput(body), 'command-line');
}
