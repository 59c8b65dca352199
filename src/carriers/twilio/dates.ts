const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const RFC_2822 = /^(?:[A-Z][a-z]{2}, )?(\d{1,2}) ([A-Z][a-z]{2}) (\d{4}) (\d{2}):(\d{2}):(\d{2}) ([+-])(\d{2})(\d{2})$/;

/** The Unix time of a date in RFC 2822, as Twilio writes all of its dates; undefined for anything else. */
export function rfc2822Ms(text: unknown): number | undefined {
  const parts = typeof text === "string" ? RFC_2822.exec(text) : null;
  if (parts === null) return undefined;
  const [
    ,
    day = "",
    month = "",
    year = "",
    hour = "",
    minute = "",
    second = "",
    sign = "",
    offsetHour = "",
    offsetMinute = "",
  ] = parts;
  if (!MONTHS.includes(month)) return undefined;
  const offsetMinutes = (sign === "-" ? -1 : 1) * (Number(offsetHour) * 60 + Number(offsetMinute));
  const minutes = Number(hour) * 60 + Number(minute) - offsetMinutes;
  return (
    ((daysSinceEpoch(Number(year), MONTHS.indexOf(month), Number(day)) * 24 * 60 + minutes) * 60 + Number(second)) *
    1_000
  );
}

/** Days of the Gregorian calendar from 1970-01-01; `month` counts from 0. Years begin in March, so that a leap day is their last. */
function daysSinceEpoch(year: number, month: number, day: number): number {
  const fromMarch = (month + 10) % 12;
  const years = fromMarch >= 10 ? year - 1 : year;
  const leapDays = Math.floor(years / 4) - Math.floor(years / 100) + Math.floor(years / 400);
  return 365 * years + leapDays + Math.floor((153 * fromMarch + 2) / 5) + day - 719_469;
}
