import { ActionIcon, Button, Fieldset, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { IconPlus, IconX } from '../../ui/icons.ts';

/** A list of simple values, one field each. */
export function TraitListInput(props: {
  label: string;
  required: boolean;
  description: string | undefined;
  error: ReactNode;
  value: unknown;
  onChange: (value: unknown) => void;
  renderItem: (name: string, index: number, entry: unknown, change: (entry: unknown) => void) => ReactNode;
}) {
  const { label, required, onChange } = props;
  const items = Array.isArray(props.value) ? (props.value as unknown[]) : [];
  return (
    <Fieldset legend={label}>
      <Stack gap="xs">
        {props.description !== undefined && (
          <Text size="xs" c="dimmed">
            {props.description}
          </Text>
        )}
        {items.map((entry, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: entries have no identity except their position
          <Group key={`${items.length} ${index}`} gap={4} wrap="nowrap" align="flex-end">
            <div style={{ flex: 1 }}>
              {props.renderItem(`${label} ${index + 1}`, index, entry, (changed) =>
                onChange(items.with(index, changed ?? '')),
              )}
            </div>
            <ActionIcon
              variant="subtle"
              size={36}
              aria-label={`Remove ${label} ${index + 1}`}
              title="Remove"
              onClick={() => onChange(items.length === 1 && !required ? undefined : items.toSpliced(index, 1))}
            >
              <IconX />
            </ActionIcon>
          </Group>
        ))}
        {props.error !== undefined && (
          <Text size="xs" c="var(--mantine-color-error)">
            {props.error}
          </Text>
        )}
        <div>
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<IconPlus size={14} />}
            onClick={() => onChange([...items, ''])}
          >
            Add to {label}
          </Button>
        </div>
      </Stack>
    </Fieldset>
  );
}
