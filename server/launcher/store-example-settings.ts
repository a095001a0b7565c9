import type { SettingInput } from '../../shared/settings.ts';

const FIRST = { after: '', size: 1, category: undefined, contains: undefined };

/** What is needed of the settings. */
interface Settings {
  page(query: typeof FIRST): Promise<{ settings: readonly unknown[] }>;
  put(input: SettingInput, actor: string, only: 'create'): Promise<unknown>;
}

/** Stores settings where none is stored yet, so that a new sandbox does not touch those of an operator. */
export async function storeExampleSettings(settings: Settings, examples: readonly SettingInput[]): Promise<void> {
  const { settings: stored } = await settings.page(FIRST);
  if (stored.length > 0) return;
  for (const example of examples) await settings.put(example, 'command-line', 'create');
}
