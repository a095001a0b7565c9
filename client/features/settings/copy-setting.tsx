import { Button, Group } from '@mantine/core';
import type { Setting } from '../../../shared/settings.ts';
import { settingPath } from '../../api/settings-record.ts';
import { COPIES } from '../../resource/detail/copy-as.ts';
import { copyAndSay } from '../../ui/feedback/copy-by-hand.tsx';
import { IconCopy } from '../../ui/icons.ts';

/** The stored setting to copy, an encrypted value masked as in the list. */
export function CopySetting({ setting }: { setting: Setting }) {
  const value = setting.encrypted ? { ...setting, value: '••••••••' } : setting;
  return (
    <Group gap="xs" mt="md">
      {COPIES.map(({ label, text }) => (
        <Button
          key={label}
          size="compact-xs"
          variant="subtle"
          leftSection={<IconCopy size={14} />}
          onClick={() => void copyAndSay(text({ path: settingPath(setting.key), value }))}
        >
          {label}
        </Button>
      ))}
    </Group>
  );
}
