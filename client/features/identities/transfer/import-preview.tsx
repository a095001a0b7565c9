import { Group, Table, Text, Title } from '@mantine/core';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { isObject, type JsonObject } from '../../../../shared/json.ts';
import { findByExternalId, identityTotalQuery } from '../../../api/identities.ts';
import { readStoredPage } from '../../../api/identity-batches.ts';
import { findByIdentifier } from '../../../api/identity-search.ts';
import { counted, digits } from '../../../lib/format-count.ts';
import { StatusDot } from '../../../ui/facts.tsx';
import { ScrollFrame } from '../../../ui/layout.tsx';
import { OutcomeTable } from '../../../ui/outcome-table.tsx';
import { unlessGone } from '../identifiers.ts';
import classes from '../identities.module.css';
import type { CheckedIdentity } from './check-identity.ts';
import type { ImportSession } from './import-session.ts';
import { existingPeople, type Inspection, type PeopleStore } from './inspect-identities.ts';
import { cellOf } from './portable-identity.ts';

/** Lines of people who already exist; null if they could not be looked up, undefined while pending. */
type ExistingLines = ReadonlySet<number> | null | undefined;

export function useExistingLines(session: ImportSession): ExistingLines {
  const queryClient = useQueryClient();
  const [lines, setLines] = useState<ExistingLines>();
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    void existingPeople(session.identities(), session.uniqueValues(), peopleStore(queryClient), signal)
      .catch(() => undefined)
      .then((found) => !signal.aborted && setLines(found ?? null));
    return () => controller.abort();
  }, [session, queryClient]);
  return lines;
}

const peopleStore = (queryClient: QueryClient): PeopleStore => ({
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
const OTHERS = ['schema_id', 'state', 'external_id', 'metadata_public', 'metadata_admin'] as const;

/** Previews identities as they would be sent, with some of their traits. Passwords appear only by their kind. */
export function PreviewTable(props: { identities: readonly CheckedIdentity[]; existing: ExistingLines }) {
  const { identities, existing } = props;
  const traits = [...new Set(identities.flatMap(({ identity }) => Object.keys(traitsIn(identity))))].slice(
    0,
    TRAITS_MAX,
  );
  const others = OTHERS.filter((name) => identities.some(({ identity }) => identity[name] !== undefined));
  const withPassword = identities.some(({ password }) => password !== undefined);
  return (
    <ScrollFrame label="Preview">
      <Table w="max-content" miw="100%" verticalSpacing={6}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Line</Table.Th>
            {[...traits, ...others].map((name) => (
              <Table.Th key={name}>{name}</Table.Th>
            ))}
            {withPassword && <Table.Th>password</Table.Th>}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {identities.map(({ line, identity, problems, password }) => (
            <Table.Tr key={line}>
              <Table.Td className={classes.line}>
                {problems.length > 0 ? (
                  <StatusDot status="bad">{line} has problems</StatusDot>
                ) : existing?.has(line) ? (
                  <StatusDot status="off">{line} already exists</StatusDot>
                ) : (
                  line
                )}
              </Table.Td>
              {traits.map((name) => (
                <Table.Td key={name} className={classes.cell}>
                  {cellOf(traitsIn(identity)[name])}
                </Table.Td>
              ))}
              {others.map((name) => (
                <Table.Td key={name} className={classes.cell}>
                  {cellOf(identity[name])}
                </Table.Td>
              ))}
              {withPassword && <Table.Td className={classes.cell}>{password}</Table.Td>}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollFrame>
  );
}

/** Flattens nested traits to paths, as in the columns of a file. */
const traitsIn = ({ traits }: JsonObject): JsonObject => Object.fromEntries(isObject(traits) ? leavesOf(traits) : []);

const leavesOf = (parent: JsonObject, path = ''): [string, unknown][] =>
  Object.entries(parent).flatMap(([name, value]): [string, unknown][] =>
    isObject(value) ? leavesOf(value, `${path}${name}.`) : [[path + name, value]],
  );

/** Lists problems with their lines. A problem shared by many identities appears once. */
export function ProblemList({ inspection, action }: { inspection: Inspection; action: ReactNode }) {
  const { mistakes, invalid, hint } = inspection;
  return (
    <div>
      <Group justify="space-between" mb="xs">
        <Title order={2}>{counted(invalid, 'identity', 'identities')} with problems</Title>
        {action}
      </Group>
      {hint !== undefined && (
        <Text size="sm" mb="xs">
          {hint}
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
