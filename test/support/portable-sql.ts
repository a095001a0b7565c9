/** SQL that only one of MariaDB 10.6 and MySQL 8 supports. */
const NOT_IN_BOTH: Record<string, RegExp> = {
  'rows returned by a write': /\breturning\b/,
  'an alias for new rows': /\) as \w+ on duplicate\b/,
  'the shared locks of MySQL': /\bfor share\b/,
  'a time to wait for locks': /\bfor update wait\b/,
  'replaced tables': /\bcreate or replace\b/,
  'conditions on columns and indexes': /\b(?:column|index|key|constraint) if (?:not )?exists\b/,
  sequences: /\b(?:create|alter|drop) sequence\b|\bnext value for\b|\b(?:next|last|set)val *\(/,
  'settings of one statement': /^set statement\b/,
  'system versioning': /\bsystem versioning\b|\bfor system_time\b/,
  'types that only one has': /\b(?:uuid|inet4|inet6|vector)(?: not)? null\b/,
  'the old utf8': /\butf8(?:mb3)?\b/,
  'values of sql_mode that MySQL 8 refuses': /\bno_(?:auto_create_user|field_options|key_options|table_options)\b/,
  'variables that only one has': /@@(?:\w+\.)?(?:tx|transaction)_|\b(?:tx|transaction)_(?:isolation|read_only) *=/,
  'functions and operators of JSON':
    /->|\bmember of\b|\bjson_(?:query|exists|detailed|loose|compact|pretty|storage_size)\b/,
};

/** Words that MySQL 8 or 9 reserves and MariaDB 10.6 does not. As names they need quotes, as functions they do not. */
const RESERVED = new RegExp(
  `\\b(?:${[
    'cube cume_dist dense_rank empty first_value function generated get grouping groups io_after_gtids io_before_gtids',
    'json_table lag last_value lateral lead library manual master_bind nth_value ntile of optimizer_costs parallel',
    'percent_rank qualify rank row row_number stored system tablesample virtual window',
  ]
    .join(' ')
    .replaceAll(' ', '|')})\\b(?! *\\()`,
);

/** Why a statement does not work on both MariaDB and MySQL; empty if it does. */
export function notPortable(statement: string): string[] {
  const text = statement
    // Removes quoted names, and values except those of SET.
    .replace(/'(?:[^'\\]|\\.|'')*'/gs, (value) => (/^set /i.test(statement) ? value : '?'))
    .replace(/`[^`]*`/g, '?')
    .replace(/\s+/g, ' ')
    .toLowerCase();
  const reasons = Object.keys(NOT_IN_BOTH).filter((name) => NOT_IN_BOTH[name]?.test(text));
  return RESERVED.test(text) ? [...reasons, 'a reserved word'] : reasons;
}
