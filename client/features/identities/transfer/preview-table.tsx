import '@mantine/core/styles/Table.layer.css';
import { Table } from '@mantine/core';
import { isObject } from '../../../json-object.ts';
import { ScrollFrame } from '../../../ui/scroll-frame.tsx';
import { StatusDot } from '../../../ui/status-dot.tsx';
import type { CheckedIdentity } from './check-identity.ts';
import { cellOf } from './csv-cells.ts';
import { passwordIn, passwordInWords } from './file-password.ts';
import classes from './transfer.module.css';

const TRAITS_MAX = 6;
const OTHERS = ['schema_id', 'state', 'external_id', 'metadata_public', 'metadata_admin'] as const;

/** Identities as they would be sent, the columns that any of them has; of a password its kind alone. */
export function PreviewTable({ identities }: { identities: readonly CheckedIdentity[] }) {
  const traits = [...new Set(identities.flatMap(({ identity }) => Object.keys(traitsIn(identity))))].slice(
    0,
    TRAITS_MAX,
  );
  const others = OTHERS.filter((name) => identities.some(({ identity }) => identity[name] !== undefined));
  const withPassword = identities.some(({ identity }) => passwordIn(identity) !== undefined);
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
          {identities.map(({ line, identity, problems }) => (
            <Table.Tr key={line}>
              <Table.Td className={classes.line}>
                {problems.length === 0 ? line : <StatusDot status="bad">{line} has problems</StatusDot>}
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
              {withPassword && <Table.Td className={classes.cell}>{passwordShown(identity)}</Table.Td>}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollFrame>
  );
}

const traitsIn = ({ traits }: Record<string, unknown>): Record<string, unknown> => (isObject(traits) ? traits : {});

const passwordShown = (identity: Record<string, unknown>): string => {
  const password = passwordIn(identity);
  return password === undefined ? '' : passwordInWords(password);
};
