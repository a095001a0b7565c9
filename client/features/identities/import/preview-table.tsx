import { Table } from '@mantine/core';
import { isObject, type JsonObject } from '../../../../shared/json.ts';
import { ScrollFrame } from '../../../ui/scroll-frame.tsx';
import { StatusDot } from '../../../ui/status-dot.tsx';
import { cellOf } from '../transfer/csv-cells.ts';
import classes from '../transfer/transfer.module.css';
import type { CheckedIdentity } from './check-identity.ts';
import type { ExistingLines } from './who-exists.tsx';

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
