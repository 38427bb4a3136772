/** Times in words: as a clock on the wall here, and as a distance from now. Times are epoch seconds. */

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const format = (options) => new Intl.DateTimeFormat(undefined, options);
const CLOCK = format({ hour: "2-digit", minute: "2-digit" });
const SECONDS = format({ hour: "2-digit", minute: "2-digit", second: "2-digit" });
const WEEKDAY = format({ weekday: "short" });
const DATE = format({ day: "numeric", month: "short" });
const WHOLE = format({
  weekday: "long",
  day: "numeric",
  month: "long",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  timeZoneName: "short",
});

const date = (at) => new Date(at * 1000);
const sameDay = (a, b) => a.toDateString() === b.toDateString();

/** "14:20", "Thu 14:20" within a week, "12 Nov 14:20" beyond. */
export function clock(at, now) {
  const [then, today] = [date(at), date(now)];
  if (sameDay(then, today)) return CLOCK.format(then);
  const day = Math.abs(at - now) < 6 * DAY ? WEEKDAY : DATE;
  return `${day.format(then)} ${CLOCK.format(then)}`;
}

/** "14:20:07", with the day where it is not today. */
export function clockSeconds(at, now) {
  const time = SECONDS.format(date(at));
  return sameDay(date(at), date(now)) ? time : `${DATE.format(date(at))} ${time}`;
}

/** All of it, with the zone: what a tooltip says. */
export const wholeTime = (at) => WHOLE.format(date(at));

/** The day alone, for an axis. */
export const day = (at) => `${WEEKDAY.format(date(at))} ${date(at).getDate()}`;

/** A length of time in its two greatest units: "45 s", "12 min", "2 h 05 min", "3 d 4 h". */
export function duration(seconds) {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 2 * MINUTE) return `${whole} s`;
  if (whole < HOUR) return `${Math.round(whole / MINUTE)} min`;
  if (whole < DAY) return pair(Math.round(whole / MINUTE), 60, "h", "min", 2);
  return pair(Math.round(whole / HOUR), 24, "d", "h", 1);
}

function pair(count, per, large, small, digits) {
  const rest = count % per;
  const head = `${Math.floor(count / per)} ${large}`;
  return rest ? `${head} ${String(rest).padStart(digits, "0")} ${small}` : head;
}

/** "in 2 h 05 min", "3 min ago", "now". */
export function distance(at, now) {
  const seconds = at - now;
  if (Math.abs(seconds) < 1) return "now";
  return seconds > 0 ? `in ${duration(seconds)}` : `${duration(-seconds)} ago`;
}
