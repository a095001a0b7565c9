import { Group, Table, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import { isObject, type JsonObject } from '../../../../shared/json.ts';
import { counted, digits } from '../../../lib/format-count.ts';
import { StatusDot } from '../../../ui/facts.tsx';
import { ScrollFrame } from '../../../ui/layout.tsx';
import classes from '../identities.module.css';
import type { CheckedIdentity } from './check-identity.ts';
import type { ImportSession } from './import-session.ts';
import type { Inspection } from './inspect-identities.ts';
import { cellOf } from './portable-identity.ts';

/** Lines of people who exist already; null where that is not known. */
export type ExistingLines = ReadonlySet<number> | null | undefined;

/** Looks up, again after each check, who in the file exists already; undefined until that is known. */
export function useExistingLines(session: ImportSession, inspection: Inspection): ExistingLines {
  const [found, setFound] = useState<{ inspection: Inspection; lines: ExistingLines }>();
  useEffect(() => {
    const controller = new AbortController();
    const show = (lines: ExistingLines): void => {
      if (!controller.signal.aborted) setFound({ inspection, lines });
    };
    session.existing(controller.signal).then(
      (lines) => show(lines ?? null),
      () => show(null),
    );
    return () => controller.abort();
  }, [session, inspection]);
  return found?.inspection === inspection ? found.lines : undefined;
}

const LINES_SHOWN = 20;

export function WhoExists({ lines }: { lines: ExistingLines }) {
  return (
    <Text size="sm" role="status">
      {lines === undefined
        ? 'Looking up who already exists…'
        : lines === null
          ? 'Who already exists could not be looked up. The import leaves those people as they are.'
          : lines.size === 0
            ? 'Nobody in the file exists yet.'
            : `${digits(lines.size)} already ${lines.size === 1 ? 'exists' : 'exist'}, in ${linesOf(lines)}. The import leaves them as they are.`}
    </Text>
  );
}

const linesOf = (lines: ReadonlySet<number>): string => {
  const shown = [...lines].sort((a, b) => a - b).slice(0, LINES_SHOWN);
  return `${lines.size === 1 ? 'line' : 'lines'} ${shown.join(', ')}${lines.size > LINES_SHOWN ? ', …' : ''}`;
};

const TRAITS_MAX = 6;
const OTHERS = ['schema_id', 'state', 'external_id', 'metadata_public', 'metadata_admin'] as const;

/** Identities as they would be sent, with the columns that any of them uses; passwords only by their kind. */
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
      <Table className={classes.wide} verticalSpacing={6}>
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

/** Members of objects by path, as in the columns of a file. */
const traitsIn = ({ traits }: JsonObject): JsonObject => Object.fromEntries(isObject(traits) ? leavesOf(traits) : []);

const leavesOf = (parent: JsonObject, way = ''): [string, unknown][] =>
  Object.entries(parent).flatMap(([name, value]): [string, unknown][] =>
    isObject(value) ? leavesOf(value, `${way}${name}.`) : [[way + name, value]],
  );

const MISTAKES_SHOWN = 100;

/** The problems with their lines; a problem shared by many is listed once. */
export function ProblemList({ inspection, action }: { inspection: Inspection; action: ReactNode }) {
  const { mistakes, invalid, hint } = inspection;
  return (
    <div>
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h5">
          {counted(invalid, 'identity', 'identities')} with problems
        </Title>
        {action}
      </Group>
      {hint !== undefined && (
        <Text size="sm" mb="xs">
          {hint}
        </Text>
      )}
      <ScrollFrame label="Problems">
        <Table verticalSpacing={6}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Line</Table.Th>
              <Table.Th>Who</Table.Th>
              <Table.Th>Problem</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {mistakes.slice(0, MISTAKES_SHOWN).map(({ problem, count, lines, who }) => (
              <Table.Tr key={problem}>
                <Table.Td className={classes.line}>
                  {lines.join(', ')}
                  {count > lines.length && ', …'}
                </Table.Td>
                <Table.Td className={`${classes.text} ${classes.who}`}>
                  {count === 1 ? <bdi>{who}</bdi> : counted(count, 'identity', 'identities')}
                </Table.Td>
                <Table.Td className={classes.text}>{problem}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </ScrollFrame>
      {mistakes.length > MISTAKES_SHOWN && (
        <Text size="xs" c="dimmed" mt="xs">
          The {MISTAKES_SHOWN} most frequent; the CSV file has them all.
        </Text>
      )}
    </div>
  );
}
