import '@mantine/core/styles/Input.layer.css';
import '@mantine/core/styles/List.layer.css';
import { Button, Code, Group, List, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { ListedIdentity } from '../../../../shared/identities.ts';
import { useOperator } from '../../../api/session.ts';
import { counted } from '../../../ui/counted.ts';
import { DeploymentBadge } from '../../../ui/deployment-badge.tsx';
import type { BulkAct } from './bulk-acts.ts';
import { shownAs } from './bulk-report.ts';

const NAMES_SHOWN = 5;

/** Who it is about, what it does to them, and for what cannot be taken back their number to type. */
export function BulkConfirmation(props: {
  act: BulkAct;
  identities: readonly ListedIdentity[];
  onConfirm: () => void;
  onCancel: () => void;
}) {
  const { act, identities } = props;
  const operator = useOperator();
  const [text, setText] = useState('');
  const count = String(identities.length);
  const ready = !act.final || text.trim() === count;
  const self = act.endsOwnSession && identities.some(({ id }) => id === operator.identityId);
  const others = identities.length - NAMES_SHOWN;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (ready) props.onConfirm();
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <div>
          {identities.slice(0, NAMES_SHOWN).map((identity) => (
            <Text key={identity.id} size="sm" fw={500} style={{ overflowWrap: 'anywhere' }}>
              {shownAs(identity)}
            </Text>
          ))}
          {others > 0 && (
            <Text size="sm" c="dimmed">
              and {counted(others, 'other', 'others')}
            </Text>
          )}
        </div>
        <List size="sm" spacing={4}>
          {self && (
            <List.Item>
              <strong>You are among them: your session in this dashboard ends as well.</strong>
            </List.Item>
          )}
          {act.consequences.map((consequence) => (
            <List.Item key={consequence}>{consequence}</List.Item>
          ))}
        </List>
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
            <Button type="submit" color={act.endsOwnSession ? 'red.9' : undefined} disabled={!ready}>
              {act.label} {count}
            </Button>
          </Group>
        </Group>
      </Stack>
    </form>
  );
}
