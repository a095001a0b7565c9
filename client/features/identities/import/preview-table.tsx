import { isObject, type JsonObject } from '../../../../shared/json.ts';
import { Table } from '../../../ui/elements/table.tsx';
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
        <thead>
          <tr>
            <th>Line</th>
            {[...traits, ...others].map((name) => (
              <th key={name}>{name}</th>
            ))}
            {withPassword && <th>password</th>}
          </tr>
        </thead>
        <tbody>
          {identities.map(({ line, identity, problems, password }) => (
            <tr key={line}>
              <td className={classes.line}>
                {problems.length > 0 ? (
                  <StatusDot status="bad">{line} has problems</StatusDot>
                ) : existing?.has(line) ? (
                  <StatusDot status="off">{line} already exists</StatusDot>
                ) : (
                  line
                )}
              </td>
              {traits.map((name) => (
                <td key={name} className={classes.cell}>
                  {cellOf(traitsIn(identity)[name])}
                </td>
              ))}
              {others.map((name) => (
                <td key={name} className={classes.cell}>
                  {cellOf(identity[name])}
                </td>
              ))}
              {withPassword && <td className={classes.cell}>{password}</td>}
            </tr>
          ))}
        </tbody>
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
