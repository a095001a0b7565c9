const NAMES =
  /^(?:q|state|schema_id|verified|(?:created|updated|session)_(?:from|to)|no_session|sort|order|place|device|lat|lng|unknown|days|active)$/;
const TIME = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)[\d:.]*Z$/;

/**
 * What was searched for, in words. A question to the index is recorded as its query; anything else is what was typed.
 * @param filter `searchFilter` of the record
 */
export function searchWords(filter: string): string {
  const [, sessions, query = ''] = /^(sessions:)?(.*)$/s.exec(filter) ?? [];
  const asked = [...new URLSearchParams(query)];
  if (!query.includes('=') || !asked.every(([name]) => NAMES.test(name))) return filter;
  const words = asked.map(([name, value]) => {
    if (name === 'q') return `“${value}”`;
    const text = value === 'true' ? '' : ` ${value.replace(TIME, '$1 $2 UTC')}`;
    return `${name.replaceAll('_', ' ')}${text}`;
  });
  return `${words.join(', ')}${sessions === undefined ? '' : ', by their sessions'}`;
}
