import { Code, Group, Stack, Text } from '@mantine/core';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { useLoadedIdentity } from '../use-loaded-identity.ts';

export function JsonTab() {
  const text = JSON.stringify(useLoadedIdentity(), null, 2);
  return (
    <Stack gap="xs">
      <Group justify="space-between" wrap="nowrap">
        <Text size="sm" c="dimmed">
          As the identity service gave it. Secrets of credentials are never asked for.
        </Text>
        <CopyButton label="Copy the JSON" read={() => text} />
      </Group>
      <Code block tabIndex={0} role="region" aria-label="Identity as JSON">
        {text}
      </Code>
    </Stack>
  );
}
