import { Button, Code, Group, List, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useOperator } from '../api/session.ts';
import { counted } from '../lib/format-count.ts';
import { visibleText } from '../lib/visible-text.ts';
import { type Failure, FailurePanel } from '../ui/failure-panel.tsx';
import { DeploymentBadge } from '../ui/layout.tsx';
import type { BulkAct, BulkSubject } from './bulk-run.ts';
import { SaveFirstField } from './save-first.tsx';

const NAMES_SHOWN = 5;

/**
 * Names the items and the consequences; for irreversible actions the count must be typed.
 * @param matching what all of them match; undefined for chosen rows
 * @param promise what is checked before each act
 * @param missing who may not be among them
 */
export function BulkConfirmation<T extends { id: string }>(props: {
  act: BulkAct<T>;
  subject: BulkSubject<T>;
  items: readonly T[];
  matching: string | undefined;
  promise: string | undefined;
  missing: string | undefined;
  /** That some of them are left alone. */
  spared: string | undefined;
  /** Whether they are saved before the act, where that is offered. */
  saving: { chosen: boolean; choose: (chosen: boolean) => void; failure: Failure | undefined };
  onConfirm: () => void;
  onCancel: () => void;
}) {
  const { act, items } = props;
  const operator = useOperator();
  const [text, setText] = useState('');
  const count = String(items.length);
  const ready = !act.final || text.trim() === count;
  const warnings = [act.warning?.(items, operator), props.spared, props.missing].filter(
    (warning) => warning !== undefined,
  );
  const others = items.length - NAMES_SHOWN;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (ready) props.onConfirm();
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        {props.matching !== undefined && (
          <Text size="sm">
            All that match: <strong>{props.matching}</strong>
          </Text>
        )}
        <div>
          {items.slice(0, NAMES_SHOWN).map((item) => (
            <Text key={item.id} size="sm" fw={500} style={{ overflowWrap: 'anywhere' }}>
              <bdi>{visibleText(props.subject.nameOf(item))}</bdi>
            </Text>
          ))}
          {others > 0 && (
            <Text size="sm" c="dimmed">
              and {counted(others, 'other', 'others')}
            </Text>
          )}
        </div>
        <List spacing={4}>
          {warnings.map((warning) => (
            <List.Item key={warning}>
              <strong>{warning}</strong>
            </List.Item>
          ))}
          {props.promise !== undefined && <List.Item>{props.promise}</List.Item>}
          {act.consequences.map((consequence) => (
            <List.Item key={consequence}>{consequence}</List.Item>
          ))}
        </List>
        {act.saveFirst !== undefined && (
          <SaveFirstField about={act.saveFirst.about} chosen={props.saving.chosen} onChange={props.saving.choose} />
        )}
        {props.saving.failure !== undefined && (
          <FailurePanel title="Nothing was deleted" error={props.saving.failure} />
        )}
        {act.final && (
          <TextInput
            data-autofocus
            label={
              <Text span size="sm">
                Type the number <Code>{count}</Code> to confirm
              </Text>
            }
            inputMode="numeric"
            autoComplete="off"
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
        )}
        <Group justify="space-between" gap="xs">
          <DeploymentBadge />
          <Group gap="xs" ml="auto">
            <Button variant="default" onClick={props.onCancel} data-autofocus={!act.final || undefined}>
              Cancel
            </Button>
            <Button type="submit" color={act.grave ? 'red.9' : undefined} disabled={!ready}>
              {act.label} {count}
            </Button>
          </Group>
        </Group>
      </Stack>
    </form>
  );
}
