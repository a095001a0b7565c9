export const NIL_UUID = '00000000-0000-0000-0000-000000000000';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export const isUuid = (text: string): boolean => UUID.test(text);

/** The services' message for an invalid UUID. */
export const uuidProblem = (text: string): string =>
  text.length === 36
    ? `uuid: incorrect UUID format in string "${text}"`
    : `uuid: incorrect UUID length ${Buffer.byteLength(text)} in string "${text}"`;
