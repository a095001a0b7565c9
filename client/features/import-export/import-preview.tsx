import { Group, Table, Text, Title } from '@mantine/core';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { membersOf } from '../../../shared/json.ts';
import { findByExternalId, identityTotalQuery } from '../../api/identities.ts';
import { readStoredPage } from '../../api/identity-batches.ts';
import { findByIdentifier } from '../../api/identity-search.ts';
import { unlessGone } from '../../api/request.ts';
import { counted, digits } from '../../lib/format-count.ts';
import { StatusDot } from '../../ui/facts.tsx';
import { OutcomeTable, ScrollTable } from '../../ui/outcome-table.tsx';
import type { CheckedIdentity } from './check-identity.ts';
import { supportedHashes, UNKNOWN_HASH } from './file-password.ts';
import type { ImportSession } from './import-session.ts';
import { existingIdentities, type Inspection, type StoredIdentities } from './inspect-identities.ts';
import { cellOf, membersPresent, PORTABLE_MEMBERS } from './portable-identity.ts';
import { leavesOf } from './read-identities.ts';

/** Lines of identities that already exist; null if they could not be looked up, undefined while pending. */
type ExistingLines = ReadonlySet<number> | null | undefined;

export function useExistingLines(session: ImportSession): ExistingLines {
  const queryClient = useQueryClient();
  const [lines, setLines] = useState<ExistingLines>();
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    void existingIdentities(session.identities(), session.uniqueValues(), storedIdentities(queryClient), signal)
      .catch(() => undefined)
      .then((found) => !signal.aborted && setLines(found ?? null));
    return () => controller.abort();
  }, [session, queryClient]);
  return lines;
}

const storedIdentities = (queryClient: QueryClient): StoredIdentities => ({
  total: async () => (await queryClient.fetchQuery(identityTotalQuery)).total,
  hasIdentifier: async (identifier) => (await findByIdentifier(identifier)).length > 0,
  hasExternalId: async (id) => (await findByExternalId(id).catch(unlessGone)) !== undefined,
  page: readStoredPage,
});

export function formatExisting(lines: ExistingLines): string {
  if (lines === undefined) return 'Checking who already exists…';
  if (lines === null) return 'Could not check who already exists. The import does not change existing people.';
  if (lines.size === 0) return 'None of these people exist yet.';
  const first = [...lines].sort((a, b) => a - b).slice(0, LINES_SHOWN);
  const list = `${first.join(', ')}${lines.size > LINES_SHOWN ? ', …' : ''}`;
  return lines.size === 1
    ? `1 already exists, on line ${list}. The import does not change it.`
    : `${digits(lines.size)} already exist, on lines ${list}. The import does not change them.`;
}

const LINES_SHOWN = 20;

const TRAITS_MAX = 6;
const OTHERS = PORTABLE_MEMBERS.filter((name) => name !== 'traits');

/** Previews identities as they would be sent, with some of their traits. Passwords appear only by their kind. */
export function PreviewTable(props: { identities: readonly CheckedIdentity[]; existing: ExistingLines }) {
  const rows = props.identities.map(({ line, identity, problems, password }) => {
    const traits = leavesOf(membersOf(identity.traits)).map(([name, value]): [string, unknown] => [
      `traits.${name}`,
      value,
    ]);
    const others = { ...membersPresent(identity, OTHERS), ...(password !== undefined && { password }) };
    return { line, problems, values: new Map([...traits, ...Object.entries(others)]) };
  });
  const names = [...new Set(rows.flatMap(({ values }) => [...values.keys()]))];
  const columns = [
    ...names.filter((name) => name.startsWith('traits.')).slice(0, TRAITS_MAX),
    ...[...OTHERS, 'password'].filter((name) => names.includes(name)),
  ];
  return (
    <ScrollTable
      label="Preview"
      head={['Line', ...columns.map((name) => name.replace(/^traits\./, ''))]}
      w="max-content"
      miw="100%"
    >
      {rows.map(({ line, problems, values }) => (
        <Table.Tr key={line}>
          <Table.Td w="1%" style={{ whiteSpace: 'nowrap' }}>
            {problems.length > 0 ? (
              <StatusDot status="bad">{line} has problems</StatusDot>
            ) : props.existing?.has(line) ? (
              <StatusDot status="off">{line} already exists</StatusDot>
            ) : (
              line
            )}
          </Table.Td>
          {columns.map((name) => (
            <Table.Td key={name}>
              <Text inherit truncate maw="16rem">
                {cellOf(values.get(name))}
              </Text>
            </Table.Td>
          ))}
        </Table.Tr>
      ))}
    </ScrollTable>
  );
}

/** Lists problems with their lines. A problem shared by many identities appears once. */
export function ProblemList({ inspection, action }: { inspection: Inspection; action: ReactNode }) {
  const { mistakes, invalid } = inspection;
  return (
    <div>
      <Group justify="space-between" mb="xs">
        <Title order={2}>{counted(invalid, 'identity', 'identities')} with problems</Title>
        {action}
      </Group>
      {mistakes.some(({ problem }) => problem === UNKNOWN_HASH) && (
        <Text size="sm" mb="xs">
          Supported hashes: {supportedHashes()}.
        </Text>
      )}
      <OutcomeTable
        label="Problems"
        subject="Line"
        rows={mistakes.map(({ problem, count, lines, who }) => ({
          key: problem,
          subject: (
            <>
              {lines.join(', ')}
              {count > lines.length && ', …'}
              {' · '}
              <bdi>{count === 1 ? who || 'unnamed' : counted(count, 'identity', 'identities')}</bdi>
            </>
          ),
          status: 'bad',
          outcome: 'rejected',
          reason: problem,
        }))}
      />
    </div>
  );
}
