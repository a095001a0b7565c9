import { Code, Group, Stack, Text } from '@mantine/core';
import { visibleJson } from '../format/visible-json.ts';
import { CopyButton } from './copy-button.tsx';

/** A value as JSON, to read and to copy. @param about what it is, and what it leaves out */
export function JsonText({ label, about, value }: { label: string; about: string; value: unknown }) {
  const text = visibleJson(value);
  return (
    <Stack gap="xs">
      <Group justify="space-between" wrap="nowrap">
        <Text size="sm" c="dimmed">
          {about}
        </Text>
        <CopyButton label="Copy the JSON" read={() => text} />
      </Group>
      <Code block tabIndex={0} role="region" aria-label={label}>
        {text}
      </Code>
    </Stack>
  );
}
